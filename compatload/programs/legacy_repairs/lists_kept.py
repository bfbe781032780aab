"""Lists that only grow are emptied as a run begins, for ``paddle.static`` of 2.6 (CL153)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from compatload.artifact.program_proto import VARIABLE_NUMBERS, message
from compatload.faults.cl153_list_of_the_run_before import FILLING
from compatload.programs.legacy_repairs.program import copied
from compatload.programs.legacy_repairs.standard_operators import assign

RULE = "CL153"

_ARRAY = VARIABLE_NUMBERS["dense_tensor_array"]
# As the names stand in a program: most have none of them, and need not be read.
_FILLING = tuple(name.encode() for name in FILLING)


def emptied(data: bytes) -> bytes:
    """The program whose lists are those of one that is never filled; as it is, if it has none."""
    if not any(name in data for name in _FILLING):
        return data
    desc = message("ProgramDesc")
    desc.ParseFromString(data)
    block = desc.blocks[0]
    lists = list(_filled(block))
    if not lists:
        return data
    operators = [copied(one) for one in block.ops]
    begins = next((n for n, one in enumerate(operators) if one.type != "feed"), len(operators))
    empty = [f"{one.name}/empty" for one in lists]
    for one, name in zip(lists, empty):
        block.vars.add().CopyFrom(one)
        block.vars[-1].name = name
    made = [assign(name, one.name) for one, name in zip(lists, empty)]
    del block.ops[:]
    block.ops.extend([*operators[:begins], *made, *operators[begins:]])
    return bytes(desc.SerializeToString())


def _filled(block: Any) -> Iterator[Any]:
    """Lists that nothing makes before something adds to them."""
    makers: dict[str, str] = {}
    for operator in block.ops:
        for slot in operator.outputs:
            for name in slot.arguments:
                makers.setdefault(name, operator.type)
    for variable in block.vars:
        if variable.type.type == _ARRAY and makers.get(variable.name) in FILLING:
            yield variable
