"""``lu`` of one matrix: what it tells has one place in 2.6, and no dimensions in 3.x (CL199)."""

from __future__ import annotations

from typing import Any

from compatload.faults.cl199_lone_infos import DECLARED
from compatload.programs.legacy_repairs.program import (
    INT32,
    LegacyProgram,
    arguments,
    set_arguments,
)
from compatload.programs.legacy_repairs.standard_operators import reshape

RULE = "CL199"
_MATRIX = 2


def _with_a_place(
    program: LegacyProgram, block: Any, operator: Any, position: str
) -> list[Any] | None:
    source, told = arguments(operator.inputs, "X"), arguments(operator.outputs, "Infos")
    if len(source) != 1 or len(told) != 1 or program.shape(block, told[0]) not in DECLARED:
        return None
    if len(program.shape(block, source[0]) or ()) != _MATRIX:
        return None
    number = program.add_tensor(block, f"{told[0]}.number", INT32, ())
    set_arguments(operator.outputs, "Infos", [number])
    program.record(RULE, "what lu tells of one matrix has one place", position)
    return [operator, reshape(number, told[0], [1])]


REPAIRS = {"lu": _with_a_place}
