"""What an operator may do besides computing. Nothing here imports paddle.

``data/effects.json`` was sorted by a person. An operator that is in doubt counts as reaching
outside; one that is missing was sorted by nobody and must not be let in either.
"""

from __future__ import annotations

import enum
import json
from collections.abc import Mapping
from functools import cache
from importlib import resources

from compatload.frozen import frozen


class Effect(str, enum.Enum):
    """Feeds, fetches and parameters count as computing."""

    COMPUTES = "computes"  # tensors in, tensors out
    RANDOM = "random"  # draws numbers, or may
    CONTROL_FLOW = "control flow"  # runs blocks of its own program
    PRINTS = "prints"  # writes to the standard streams, or raises
    OUTSIDE = "outside"  # files, sockets, processes, Python, code, memory that is not its own


def effect_of(name: str) -> Effect | None:
    """The effect of ``conv2d`` or ``pd_op.conv2d``; None if nobody has sorted it.

    It holds while the attributes have their :func:`harmless_values`.
    """
    return _sorted().effects.get(name)


def reaches(name: str) -> str:
    """What an operator does outside (``"writes files"``); empty for any that stays inside."""
    return _sorted().reaches.get(name, "")


def harmless_values(name: str) -> Mapping[str, object]:
    """Attributes by which an operator can be told to reach outside, each with the one value for
    which it does not. Where a program lacks the attribute, the operator's default is this value.
    """
    return _sorted().harmless.get(name, {})


@frozen
class _Sorted:
    effects: Mapping[str, Effect]
    reaches: Mapping[str, str]
    harmless: Mapping[str, Mapping[str, object]]


@cache
def _sorted() -> _Sorted:
    # Not compressed, for the reason that registry._data gives.
    path = resources.files("compatload.operators") / "data" / "effects.json"
    table = json.loads(path.read_bytes())
    return _Sorted(
        {name: effect for effect in Effect for name in table[effect.value]},
        table["outside"],
        {
            operator: {
                attribute: tuple(value) if isinstance(value, list) else value
                for attribute, value in attributes.items()
            }
            for operator, attributes in table["conditional"].items()
        },
    )
