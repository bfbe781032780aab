"""Lists that only grow are emptied as a run begins, for ``paddle.static`` of 2.6 (CL153)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from compatload.artifact.program_proto import VARIABLE_NUMBERS, message
from compatload.faults.cl153_list_of_the_run_before import FILLING
from compatload.programs.legacy_repairs.program import begin_with, declare_like
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
    empty = [declare_like(block, one, f"{one.name}/empty") for one in lists]
    begin_with(block, [assign(other.name, one.name) for one, other in zip(lists, empty)])
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
