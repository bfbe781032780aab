"""The other branch reads a value as it was before one branch set items of it (CL159)."""

from __future__ import annotations

from compatload.artifact.model import Artifact
from compatload.artifact.program_proto import message
from compatload.faults.cl159_set_in_branch import set_in_branches
from compatload.programs.legacy_repairs.program import arguments, fill

RULE = "CL159"


def read_as_before(data: bytes, artifact: Artifact) -> bytes:
    """``data``, a program of ``artifact``, without what such values begin with; as it is where
    there are none."""
    found = set_in_branches(artifact.program.operators)
    if not found:
        return data
    desc = message("ProgramDesc")
    desc.ParseFromString(data)
    children: dict[int, list[int]] = {}
    for block in desc.blocks:
        children.setdefault(block.parent_idx, []).append(block.idx)
    for one in found:
        block = desc.blocks[one.begun.block]
        fill(
            block,
            [
                operator
                for operator in block.ops
                if operator.type != one.begun.name
                or arguments(operator.outputs, "Out") != (one.value,)
            ],
        )
        within = [number for other in one.others for number in other.sub_blocks]
        for number in within:
            within += children.get(number, [])
        readers = [operator for number in within for operator in desc.blocks[number].ops]
        outputs = {other.outputs["Out"] for other in one.others}
        readers += [
            operator
            for operator in block.ops
            if operator.type == one.branch.name and arguments(operator.outputs, "Out") in outputs
        ]
        for operator in readers:
            for slot in operator.inputs:
                if one.value in slot.arguments:
                    named = [one.before if n == one.value else n for n in slot.arguments]
                    again = operator.type == one.branch.name  # once in what a branch takes
                    slot.arguments[:] = list(dict.fromkeys(named)) if again else named
    return bytes(desc.SerializeToString())
