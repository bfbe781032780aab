"""What OpenVINO does not take, found before it sees a program.

``data/openvino.json`` is what one release answered when it was asked for each operator of Paddle
2.6 by itself (``python -m matrix.openvino_facts``). Of other releases nothing is said beforehand:
they are asked when the program is compiled, in a child process at first.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from functools import cache
from importlib import resources
from typing import Any

from compatload.artifact.model import Program
from compatload.engines.extensions import EXTENSIONS
from compatload.engines.flaws import FLAWS
from compatload.engines.openvino import INSTEAD
from compatload.errors import UnsupportedOperatorError

# Places that a message spells out.
_MOST_NAMED = 5


def require_supported(program: Program, release: str, path: str) -> None:
    """Return only if OpenVINO ``release`` is not known to refuse ``program``, or to err with it.

    Raises:
        UnsupportedOperatorError: with the list of operators.
    """
    found = objections(program, release)
    if found:
        more = f" and {len(found) - _MOST_NAMED} more" if len(found) > _MOST_NAMED else ""
        raise UnsupportedOperatorError(
            f"{path} has operators that OpenVINO {release} does not run: "
            f"{'; '.join(found[:_MOST_NAMED])}{more}",
            action=INSTEAD,
            artifact=path,
        )


def objections(program: Program, release: str) -> tuple[str, ...]:
    """Each operator that ``release`` is known not to have, or to compute wrongly, with its place
    and the reason; none where nothing is known of the release."""
    table = _table()
    if release != table["release"]:
        return ()
    return tuple(_objections(program, frozenset((*table["supported"], *EXTENSIONS))))


def _objections(program: Program, supported: Collection[str]) -> Iterator[str]:
    for operator in program.operators:
        if operator.name not in supported:
            yield operator.position
            continue
        flaw = FLAWS.get(operator.name)
        why = flaw(operator, program) if flaw else None
        if why:
            yield f"{operator.position}: {why}"


@cache
def _table() -> Any:
    text = resources.files("compatload.engines").joinpath("data/openvino.json").read_text("utf-8")
    return json.loads(text)
