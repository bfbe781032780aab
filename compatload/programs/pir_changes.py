"""What a conversion between PIR versions did, and how operators are named while it does."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from compatload.frozen import frozen
from compatload.operators.registry import PirOperator

# Dialects as files abbreviate them. Custom (3) and distributed (4) operators are not in any
# registry: nobody can say what another release makes of them.
_DIALECTS = {"0": "builtin", "1": "pd_op", "2": "cf"}
PARAMETER = "p"  # builtin.parameter in a short form of its own, the same in all releases


@frozen
class Change:
    """``count`` operators of that name were changed in the same way; ``what`` says how.

    ``operator`` is empty where the program as a whole is meant.
    """

    operator: str
    what: str
    count: int = 1


def collected(changes: Mapping[tuple[str, str], int]) -> tuple[Change, ...]:
    """Changes from counts by (operator, what), in a fixed order."""
    return tuple(Change(name, what, count) for (name, what), count in sorted(changes.items()))


def operator_name(abbreviated: str) -> str:
    """``1.conv2d`` → ``pd_op.conv2d``; ``p`` → ``builtin.parameter``."""
    if abbreviated == PARAMETER:
        return "builtin.parameter"
    dialect, _, name = abbreviated.partition(".")
    return f"{_DIALECTS.get(dialect, dialect)}.{name}"


def takes(known: PirOperator, operator: Mapping[str, Any]) -> bool:
    """Whether the release's operator has as many operands and results as the file's.

    Absent optional operands are written too (as value 0), so the counts must agree.
    """
    if not known.described or not known.name.startswith("pd_op."):
        return True
    return len(operator["I"]) == len(known.operands) and len(operator["O"]) == len(known.results)
