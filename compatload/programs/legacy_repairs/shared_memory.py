"""``share_data``, that is ``detach()``: its result is overwritten with what it was taken from.

Translated to PIR, as ``compatload.programs.shared_memory`` tells; as a legacy program, with loops
(2.6.2 to 3.3.1) and where it was fed (2.6.2, ``load_inference_model``).
"""

from __future__ import annotations

from typing import Any

from compatload.programs.legacy_repairs.program import LegacyProgram, arguments, new_operator
from compatload.programs.shared_memory import RULE

__all__ = ["REPAIRS", "RULE"]


def _copy(program: LegacyProgram, block: Any, operator: Any, position: str) -> list[Any] | None:
    source, result = arguments(operator.inputs, "X"), arguments(operator.outputs, "Out")
    if len(source) != 1 or len(result) != 1:
        return None
    program.record(RULE, "share_data became a copy", position)
    return [new_operator("assign", {"X": source}, {"Out": result}, {})]


REPAIRS = {"share_data": _copy}
