"""Quantisers: the scale that they measure goes into no parameter (CL280)."""

from __future__ import annotations

from typing import Any

from compatload.faults.cl280_kept_scale import MEASURING
from compatload.programs.legacy_repairs.program import LegacyProgram, arguments, set_arguments

RULE = "CL280"


def _keep_nothing(
    program: LegacyProgram, block: Any, operator: Any, position: str
) -> list[Any] | None:
    kept = arguments(operator.outputs, "OutScale")
    if len(kept) != 1:
        return None
    variable = program.variable(block, kept[0])
    number, dims = program.data_type(block, kept[0]), program.shape(block, kept[0])
    if variable is None or not variable.persistable or number is None or dims is None:
        return None
    program.record(RULE, f"{operator.type} writes {kept[0]!r} no more", position)
    scale = program.add_tensor(block, kept[0], number, dims)
    set_arguments(operator.outputs, "OutScale", [scale])
    return [operator]


REPAIRS = dict.fromkeys(sorted(MEASURING), _keep_nothing)
