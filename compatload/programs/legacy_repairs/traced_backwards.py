"""``trace``: its axes in their order, which every release reads alike (CL129)."""

from __future__ import annotations

from typing import Any

from packaging.version import Version

from compatload.programs.legacy_repairs.program import (
    LegacyProgram,
    arguments,
    attribute,
    new_operator,
)

RULE = "CL129"
_FIRST_IS_ROWS_SINCE = Version("3.1.0.dev0")
_WRITTEN_SINCE = 3_001_000  # the same, as programs tell it


def _in_order(program: LegacyProgram, block: Any, operator: Any, position: str) -> list[Any] | None:
    source, result = arguments(operator.inputs, "Input"), arguments(operator.outputs, "Out")
    first_is_rows = program.desc.version.version >= _WRITTEN_SINCE
    as_at_home = first_is_rows is (program.target >= _FIRST_IS_ROWS_SINCE)
    if as_at_home or len(source) != 1 or len(result) != 1:
        return None
    dims = program.shape(block, source[0])
    offset, first, second = (
        attribute(operator, name, default)
        for name, default in (("offset", 0), ("axis1", 0), ("axis2", 1))
    )
    if not dims or not offset or first % len(dims) <= second % len(dims):
        return None
    program.record(RULE, "trace takes its axes in their order", position)
    if first_is_rows:
        offset = -offset
    kept = {"offset": ("INT", offset), "axis1": ("INT", second), "axis2": ("INT", first)}
    return [new_operator("trace", {"Input": source}, {"Out": result}, kept)]


REPAIRS = {"trace": _in_order}
