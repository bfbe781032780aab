"""What a layer keeps of what it computed is no parameter of a legacy program (CL157)."""

from __future__ import annotations

from typing import Any

from compatload.artifact.model import Artifact
from compatload.faults.cl157_kept_results import KeptResults
from compatload.programs.legacy_repairs.program import declare_like, rename

RULE = "CL157"


def computed_anew(desc: Any, artifact: Artifact, found: KeptResults) -> None:
    """Kept results become values like others; what is stored has the sizes that it has there."""
    sizes = {one.name: one.shape for one in artifact.parameters}
    block = desc.blocks[0]
    declared = {one.name: one for one in block.vars}
    computed = {name: f"{name}/computed" for name in found.computed if name in declared}
    for name, other in computed.items():
        declare_like(block, declared[name], other)
    for name in found.free & declared.keys():
        declared[name].type.dense_tensor.tensor.dims[:] = sizes[name]
    for operator in (operator for one in desc.blocks for operator in one.ops):
        rename((*operator.inputs, *operator.outputs), computed)
