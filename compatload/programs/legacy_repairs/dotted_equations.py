"""``einsum`` with ``...``: 3.x wants every dimension by a letter of its own (CL128)."""

from __future__ import annotations

import string
from collections.abc import Sequence
from typing import Any

from compatload.programs.legacy_repairs.program import (
    LegacyProgram,
    arguments,
    attribute,
    set_attribute,
)

RULE = "CL128"
DOTS = "..."


def spelled_out(equation: str, ranks: Sequence[int]) -> str | None:
    """The equation with letters for its dots, which stand for dimensions from the right.

    None where it has no dots, or is none for operands of these ranks.
    """
    left, arrow, right = equation.replace(" ", "").partition("->")
    terms = left.split(",")
    if DOTS not in left or len(terms) != len(ranks):
        return None
    hidden = [
        rank - len(term.replace(DOTS, "")) if DOTS in term else 0
        for term, rank in zip(terms, ranks)
    ]
    letters = [one for one in string.ascii_letters if one not in equation]
    if min(hidden) < 0 or max(hidden) > len(letters):
        return None
    free = "".join(letters[: max(hidden)])
    written = [term.replace(DOTS, free[len(free) - count :]) for term, count in zip(terms, hidden)]
    if not arrow:  # then those that stand once, in the order of the alphabet, after the dots
        named = left.replace(DOTS, "").replace(",", "")
        right = DOTS + "".join(sorted(one for one in set(named) if named.count(one) == 1))
    return f"{','.join(written)}->{right.replace(DOTS, free)}"


def _spelled(program: LegacyProgram, block: Any, operator: Any, position: str) -> list[Any] | None:
    equation = attribute(operator, "equation", "")
    shapes = [program.shape(block, name) for name in arguments(operator.inputs, "Operands")]
    ranks = [len(shape) for shape in shapes if shape is not None]
    told = spelled_out(equation, ranks) if len(ranks) == len(shapes) else None
    if told is None:
        return None
    set_attribute(operator, "equation", "STRING", told)
    program.record(RULE, f"einsum of {equation!r} became {told!r}", position)
    return [operator]


REPAIRS = {"einsum": _spelled}
