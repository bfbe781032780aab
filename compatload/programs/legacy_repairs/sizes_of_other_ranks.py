"""Sizes of one list have as many dimensions (CL160)."""

from __future__ import annotations

from typing import Any

from compatload.artifact.model import Artifact
from compatload.artifact.program_proto import message
from compatload.faults.cl160_sizes_of_other_ranks import CREATED, SLOT, without_dimensions
from compatload.programs.legacy_repairs.program import declare_like, fill, new_operator

RULE = "CL160"


def as_vectors(data: bytes, artifact: Artifact) -> bytes:
    """``data``, a program of ``artifact``, where numbers among sizes that are vectors of one are
    vectors, too; as it is where there are none."""
    program = artifact.program
    numbers = {
        name for operator in program.operators for name in without_dimensions(operator, program)
    }
    if not numbers:
        return data
    desc = message("ProgramDesc")
    desc.ParseFromString(data)
    declared = {one.name: one for block in desc.blocks for one in block.vars}
    for block in desc.blocks:
        operators: list[Any] = []
        for operator in block.ops:
            slots = [s for s in operator.inputs if operator.type == CREATED and s.parameter == SLOT]
            listed = {name for slot in slots for name in slot.arguments}
            if listed & numbers:
                result = operator.outputs[0].arguments[0]
                vectors = {name: f"{name}/of/{result}" for name in sorted(listed & numbers)}
                for name, vector in vectors.items():
                    made = declare_like(block, declared[name], vector)
                    made.persistable = False
                    made.type.dense_tensor.tensor.dims[:] = [1]
                    operators.append(_reshaped(name, vector))
                for slot in slots:
                    slot.arguments[:] = [vectors.get(name, name) for name in slot.arguments]
            operators.append(operator)
        fill(block, operators)
    return bytes(desc.SerializeToString())


def _reshaped(number: str, vector: str) -> Any:
    return new_operator("reshape2", {"X": [number]}, {"Out": [vector]}, {"shape": ("INTS", [1])})
