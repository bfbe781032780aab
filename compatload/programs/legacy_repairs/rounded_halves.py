"""``round``: halves go where they went in the release that saved the program (CL122)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from compatload.programs.legacy_repairs.program import (
    BOOL,
    MADE,
    LegacyProgram,
    arguments,
    attribute,
    new_operator,
)
from compatload.programs.legacy_repairs.standard_operators import elementwise, fill_constant, where

RULE = "CL122"
_TO_EVEN_SINCE = "3.1"


def _as_at_home(
    program: LegacyProgram, block: Any, operator: Any, position: str
) -> list[Any] | None:
    if not program.crosses(_TO_EVEN_SINCE):
        return None
    if not program.is_saved_since(_TO_EVEN_SINCE):
        return _away_from_zero(program, block, operator, position)
    from compatload.programs.legacy_repairs.pir_operation import written  # 12 ms of a load

    steps = written(program, block, operator)
    if steps is not None:
        program.record(RULE, "round takes halves to even numbers", position)
    return steps


def _away_from_zero(
    program: LegacyProgram, block: Any, operator: Any, position: str
) -> list[Any] | None:
    """x + (x − trunc(x)) where that difference is a half; all of it is exact."""
    source, result = arguments(operator.inputs, "X"), arguments(operator.outputs, "Out")
    if len(source) != 1 or len(result) != 1 or MADE in result[0]:
        return None
    if attribute(operator, "decimals", 0):
        return None
    data_type, dims = program.data_type(block, source[0]), program.shape(block, source[0])
    if data_type is None or dims is None:
        return None
    looked, is_half, rest = _halves(program, block, source[0], result[0], data_type, dims)
    away, even = (
        program.add_tensor(block, f"{result[0]}.{part}", data_type, dims)
        for part in ("away", "even")
    )
    program.record(RULE, "round takes halves away from zero", position)
    return [
        new_operator("round", {"X": source}, {"Out": [even]}, {"decimals": ("INT", 0)}),
        *looked,
        elementwise("elementwise_add", source[0], rest, away),
        where(is_half, away, even, result[0]),
    ]


def _halves(
    program: LegacyProgram, block: Any, source: str, stem: str, number: int, dims: Sequence[int]
) -> tuple[list[Any], str, str]:
    """What tells which numbers are halves: its operators, the answer, and what comes after the
    whole number."""
    whole, rest, size = (
        program.add_tensor(block, f"{stem}.{part}", number, dims)
        for part in ("whole", "rest", "size")
    )
    shape = [1] if dims else []  # of a number without dimensions another is a half
    half = program.add_tensor(block, f"{stem}.half", number, shape)
    is_half = program.add_tensor(block, f"{stem}.is_half", BOOL, dims)
    steps = [
        new_operator("trunc", {"X": [source]}, {"Out": [whole]}, {}),
        elementwise("elementwise_sub", source, whole, rest),
        new_operator("abs", {"X": [rest]}, {"Out": [size]}, {}),
        fill_constant(half, number, shape, 0.5),
        elementwise("equal", size, half, is_half),
    ]
    return steps, is_half, rest


REPAIRS = {"round": _as_at_home}
