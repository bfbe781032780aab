"""An axis that counts from the end, by which the tensors of a list are joined (CL168)."""

from __future__ import annotations

from typing import Any

from compatload.programs.legacy_repairs.program import (
    LegacyProgram,
    arguments,
    attribute,
    attribute_type,
    set_attribute,
)

RULE = "CL168"


def _from_the_start(
    program: LegacyProgram, block: Any, operator: Any, position: str
) -> list[Any] | None:
    axis, joined = attribute(operator, "axis", 0), arguments(operator.outputs, "Out")
    shape = program.shape(block, joined[0]) if joined else None
    if axis >= 0 or not shape or attribute(operator, "use_stack", False):
        return None
    kind = attribute_type(operator, "axis") or "INT"
    set_attribute(operator, "axis", kind, axis + len(shape))
    program.record(RULE, f"axis {axis} became {axis + len(shape)}", position)
    return [operator]


REPAIRS = {"tensor_array_to_tensor": _from_the_start}
