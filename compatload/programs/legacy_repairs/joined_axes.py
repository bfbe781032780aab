"""An axis that counts from the end, by which the tensors of a list are joined (CL168)."""

from __future__ import annotations

from typing import Any

from compatload.programs.legacy_repairs.program import LegacyProgram, arguments, attribute

RULE = "CL168"


def _from_the_start(
    program: LegacyProgram, block: Any, operator: Any, position: str
) -> list[Any] | None:
    joined = arguments(operator.outputs, "Out")
    if not joined or attribute(operator, "use_stack", False):
        return None
    done = program.count_from_the_start(block, operator, "axis", joined[0])
    if done is None:
        return None
    program.record(RULE, done, position)
    return [operator]


REPAIRS = {"tensor_array_to_tensor": _from_the_start}
