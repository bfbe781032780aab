"""Operators that 2.6 lacks or reads otherwise, of programs that 3.x saved (CL138)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from compatload.programs.legacy_repairs.pir_names import READ_OTHERWISE, YOUNGER
from compatload.programs.legacy_repairs.program import LegacyProgram

RULE = "CL138"


def written_as_in_pir(rule: str, types: Iterable[str]) -> Mapping[str, Any]:
    """Repairs by which operators are written for 2.6 as those of a PIR program are."""

    def written(
        program: LegacyProgram, block: Any, operator: Any, position: str
    ) -> list[Any] | None:
        if not program.is_saved_since("3.0"):
            return None
        from compatload.programs.legacy_repairs.pir_operation import written  # 12 ms of a load

        steps = written(program, block, operator)
        if steps is not None:
            program.record(rule, f"{operator.type} is written as 2.6 reads it", position)
        return steps

    return dict.fromkeys(types, written)


REPAIRS = written_as_in_pir(RULE, (*READ_OTHERWISE, *YOUNGER))
