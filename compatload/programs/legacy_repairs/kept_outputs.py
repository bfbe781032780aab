"""``index_put``: what it assigns to is copied into its result first (``rules.kept_output``)."""

from __future__ import annotations

from typing import Any

from compatload.programs.legacy_repairs.program import (
    LegacyProgram,
    arguments,
    new_operator,
    set_arguments,
)
from compatload.rules.kept_output import KEEPING
from compatload.rules.kept_output import RULE as _FAULT

RULE = _FAULT.id


def _assign_in_copy(
    program: LegacyProgram, block: Any, operator: Any, position: str
) -> list[Any] | None:
    source, result = arguments(operator.inputs, "x"), arguments(operator.outputs, "out")
    if len(source) != 1 or len(result) != 1 or source == result:
        return None
    program.record(RULE, f"{operator.type} assigns into a copy", position)
    set_arguments(operator.inputs, "x", result)
    return [new_operator("assign", {"X": source}, {"Out": result}, {}), operator]


REPAIRS = dict.fromkeys(KEEPING, _assign_in_copy)
