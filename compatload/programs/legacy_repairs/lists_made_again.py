"""CL152: a value of a list that is made again in a loop is copied there."""

from __future__ import annotations

from typing import Any

from compatload.faults.cl152_list_made_again import LISTS
from compatload.programs.legacy_repairs.program import LegacyProgram, set_arguments
from compatload.programs.legacy_repairs.standard_operators import assign

RULE = "CL152"


def _with_a_copy(
    program: LegacyProgram, block: Any, operator: Any, position: str
) -> list[Any] | None:
    if not block.idx:
        return None
    results = [name for slot in operator.outputs for name in slot.arguments]
    depth = program.lists_made_again.get((block.idx, results[0]), 0) if results else 0
    copies = []
    for slot in operator.inputs if depth else ():
        if slot.parameter not in LISTS[operator.type] or not slot.arguments:
            continue
        first, *others = slot.arguments
        kind, dims = program.data_type(block, first), program.shape(block, first)
        if kind is None or dims is None:
            continue
        # Once for each loop: what is copied alike in a loop and around it is made one again.
        for _ in range(depth):
            copy = program.add_tensor(block, f"{first}.again", kind, dims)
            copies.append(assign(first, copy))
            first = copy
        set_arguments(operator.inputs, slot.parameter, (first, *others))
    if not copies:
        return None
    program.record(RULE, f"a value of what {operator.type} takes is copied", position)
    return [*copies, operator]


REPAIRS = dict.fromkeys(LISTS, _with_a_copy)
