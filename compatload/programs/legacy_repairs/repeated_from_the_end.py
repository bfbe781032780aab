"""An axis of ``repeat_interleave`` that counts from the end (CL146)."""

from __future__ import annotations

from typing import Any

from compatload.programs.legacy_repairs.program import (
    LegacyProgram,
    arguments,
    attribute,
    attribute_type,
    set_attribute,
)

RULE = "CL146"


def _from_the_start(
    program: LegacyProgram, block: Any, operator: Any, position: str
) -> list[Any] | None:
    axis, source = attribute(operator, "dim", 0), arguments(operator.inputs, "X")
    shape = program.shape(block, source[0]) if source else None
    if axis >= 0 or not shape:
        return None
    kind = attribute_type(operator, "dim") or "INT"
    set_attribute(operator, "dim", kind, axis + len(shape))
    program.record(RULE, f"axis {axis} became {axis + len(shape)}", position)
    return [operator]


REPAIRS = {"repeat_interleave": _from_the_start}
