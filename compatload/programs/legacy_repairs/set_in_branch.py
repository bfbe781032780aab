"""The other branch reads a value as it was before one branch set items of it (CL159)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from compatload.artifact.model import Artifact
from compatload.faults.cl159_set_in_branch import SetInBranch
from compatload.programs.legacy_repairs.program import arguments, fill

RULE = "CL159"


def read_as_before(desc: Any, artifact: Artifact, found: Sequence[SetInBranch]) -> None:
    """Programs go without what such values begin with."""
    for one in found:
        block = desc.blocks[one.begun.block]
        begins = one.begun.name, (one.value,)
        own = [op for op in block.ops if (op.type, arguments(op.outputs, "Out")) != begins]
        fill(block, own)
        for operator in _readers(desc, block, one):
            for slot in operator.inputs:
                if one.value in slot.arguments:
                    named = [one.before if n == one.value else n for n in slot.arguments]
                    again = operator.type == one.branch.name  # once in what a branch takes
                    slot.arguments[:] = list(dict.fromkeys(named)) if again else named


def _readers(desc: Any, block: Any, found: SetInBranch) -> list[Any]:
    """The other branches, and all operators within."""
    within = [number for other in found.others for number in other.sub_blocks]
    for number in within:
        within += [one.idx for one in desc.blocks if one.parent_idx == number]
    outputs = {other.outputs["Out"] for other in found.others}
    return [
        *(operator for number in within for operator in desc.blocks[number].ops),
        *(
            operator
            for operator in block.ops
            if operator.type == found.branch.name and arguments(operator.outputs, "Out") in outputs
        ),
    ]
