"""Lists of sizes that two operators read are no longer the same (CL158)."""

from __future__ import annotations

from typing import Any

from compatload.artifact.model import Artifact
from compatload.artifact.program_proto import message
from compatload.faults.cl158_sizes_read_twice import SLOTS, read_twice, values_of
from compatload.programs.legacy_repairs.program import declare_like, fill
from compatload.programs.legacy_repairs.standard_operators import assign

RULE = "CL158"


def copied(data: bytes, artifact: Artifact) -> bytes:
    """``data``, a program of ``artifact``, whose later lists have copies of what others read; as it
    is where there are none."""
    found = read_twice(artifact.program.operators)
    if not found:
        return data
    desc = message("ProgramDesc")
    desc.ParseFromString(data)
    declared = {one.name: one for block in desc.blocks for one in block.vars}
    for block in desc.blocks:
        operators: list[Any] = []
        for operator in block.ops:
            # Repairs before this one move operators, but leave what they yield.
            results = values_of({slot.parameter: slot.arguments for slot in operator.outputs})
            sizes = found.get(results, frozenset()) & declared.keys()
            copies = {name: f"{name}/of/{min(results)}" for name in sorted(sizes)}
            for name, copy in copies.items():
                declare_like(block, declared[name], copy).persistable = False
                operators.append(assign(name, copy))
            for slot in operator.inputs:
                if slot.parameter in SLOTS:
                    slot.arguments[:] = [copies.get(name, name) for name in slot.arguments]
            operators.append(operator)
        fill(block, operators)
    return bytes(desc.SerializeToString())
