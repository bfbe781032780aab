"""An axis of ``repeat_interleave`` that counts from the end (CL146)."""

from __future__ import annotations

from typing import Any

from compatload.programs.legacy_repairs.program import LegacyProgram, arguments

RULE = "CL146"


def _from_the_start(
    program: LegacyProgram, block: Any, operator: Any, position: str
) -> list[Any] | None:
    source = arguments(operator.inputs, "X")
    done = program.count_from_the_start(block, operator, "dim", source[0]) if source else None
    if done is None:
        return None
    program.record(RULE, done, position)
    return [operator]


REPAIRS = {"repeat_interleave": _from_the_start}
