"""What a loop carries is a tensor of its own, not a part of a list (CL149)."""

from __future__ import annotations

from typing import Any

from compatload.faults.cl149_listed_values import LISTS
from compatload.programs.legacy_repairs.program import LegacyProgram
from compatload.programs.legacy_repairs.standard_operators import assign

RULE = "CL149"


def _taken_out(
    program: LegacyProgram, block: Any, operator: Any, position: str
) -> list[Any] | None:
    copies = []
    for slot in operator.outputs:
        if slot.parameter not in LISTS[operator.type]:
            continue
        for place, name in enumerate(slot.arguments):
            kind, dims = program.data_type(block, name), program.shape(block, name)
            if name in program.read_by_loops and kind is not None and dims is not None:
                part = program.add_tensor(block, f"{name}.listed", kind, dims)
                slot.arguments[place] = part
                copies.append(assign(part, name))
    if not copies:
        return None
    program.record(RULE, f"what a loop reads of {operator.type} is copied", position)
    return [operator, *copies]


REPAIRS = dict.fromkeys(LISTS, _taken_out)
