"""``trace``: its axes in their order, which every release reads alike (CL129)."""

from __future__ import annotations

from typing import Any

from compatload.programs.legacy_repairs.program import (
    LegacyProgram,
    arguments,
    attribute,
    new_operator,
)

RULE = "CL129"
_FIRST_IS_ROWS_SINCE = "3.1"


def _in_order(program: LegacyProgram, block: Any, operator: Any, position: str) -> list[Any] | None:
    source, result = arguments(operator.inputs, "Input"), arguments(operator.outputs, "Out")
    if not program.crosses(_FIRST_IS_ROWS_SINCE) or len(source) != 1 or len(result) != 1:
        return None
    dims = program.shape(block, source[0])
    offset, first, second = (
        attribute(operator, name, default)
        for name, default in (("offset", 0), ("axis1", 0), ("axis2", 1))
    )
    if not dims or not offset or first % len(dims) <= second % len(dims):
        return None
    program.record(RULE, "trace takes its axes in their order", position)
    if program.is_saved_since(_FIRST_IS_ROWS_SINCE):
        offset = -offset
    kept = {"offset": ("INT", offset), "axis1": ("INT", second), "axis2": ("INT", first)}
    return [new_operator("trace", {"Input": source}, {"Out": result}, kept)]


REPAIRS = {"trace": _in_order}
