"""CL120: ``index_put`` assigns into a copy of what it is given."""

from __future__ import annotations

from typing import Any

from compatload.faults.cl120_kept_output import KEEPING
from compatload.programs.legacy_repairs.program import (
    LegacyProgram,
    arguments,
    new_operator,
    set_arguments,
)

RULE = "CL120"


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
