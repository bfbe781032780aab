"""What a layer keeps of what it computed is no parameter of a legacy program (CL157)."""

from __future__ import annotations

from compatload.artifact.model import Artifact
from compatload.artifact.program_proto import message
from compatload.faults.cl157_kept_results import kept_results
from compatload.programs.legacy_repairs.program import declare_like

RULE = "CL157"


def computed_anew(data: bytes, artifact: Artifact) -> bytes:
    """``data``, a program of ``artifact``, where kept results are values like others, and stored
    ones have the sizes that they were stored with; as it is where there are none."""
    results = kept_results(artifact)
    sizes = {one.name: one.shape for one in artifact.parameters}
    declared_sizes = artifact.program.variables
    free = {name for name in sizes if -1 in (declared_sizes[name].shape or ())}
    if not results and not free:
        return data
    desc = message("ProgramDesc")
    desc.ParseFromString(data)
    block = desc.blocks[0]
    declared = {one.name: one for one in block.vars}
    computed = {name: f"{name}/computed" for name in results if name in declared}
    for name, other in computed.items():
        declare_like(block, declared[name], other).persistable = False
    for name in free & declared.keys():
        declared[name].type.dense_tensor.tensor.dims[:] = sizes[name]
    for operator in (operator for one in desc.blocks for operator in one.ops):
        for slot in (*operator.inputs, *operator.outputs):
            slot.arguments[:] = [computed.get(name, name) for name in slot.arguments]
    return bytes(desc.SerializeToString())
