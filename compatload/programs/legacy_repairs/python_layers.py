"""CL161: a layer of Python in a legacy program gives way to the operators of its forward."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from compatload.artifact.model import Artifact
from compatload.artifact.program_proto import ATTR_TYPES
from compatload.errors import DamagedArtifactError
from compatload.programs.legacy_repairs.program import attribute, declare_like, fill, rename

RULE = "CL161"
LAYER = "pylayer"


def written_out(desc: Any, artifact: Artifact, found: object) -> None:
    """Raises DamagedArtifactError where a layer has no block of its own."""
    owned: set[int] = set()
    for block in desc.blocks:
        if block.idx in owned:  # its operators stand where its layer stood
            continue
        written, waiting = [], list(block.ops)[::-1]
        while waiting:
            operator = waiting.pop()
            if operator.type != LAYER:
                written.append(operator)
                continue
            blocks = {int(one) for one in attribute(operator, "blocks", ())}
            if not blocks or blocks & owned or not blocks <= set(range(1, len(desc.blocks))):
                raise DamagedArtifactError(
                    f"{artifact.path} is damaged: {LAYER} has no block of its own.",
                    action="Fetch or save the model again.",
                    artifact=artifact.path,
                    rule=RULE,
                )
            owned |= blocks
            forward, *_ = attribute(operator, "blocks")  # and the one for gradients, left empty
            waiting += _taken(desc, desc.blocks[forward], block)[::-1]
        if any(one.type == LAYER for one in block.ops):
            fill(block, written)
    _leave_out(desc, owned)


def _taken(desc: Any, forward: Any, block: Any) -> list[Any]:
    """The operators of a forward, whose variables and blocks become those of ``block``."""
    names: dict[str, str] = {}
    declared = {one.name for other in desc.blocks if other is not forward for one in other.vars}
    for variable in forward.vars:
        if variable.name in declared:
            names[variable.name] = f"{variable.name}/forward_{forward.idx}"
        declare_like(block, variable, names.get(variable.name, variable.name))
    del forward.vars[:]
    for inner in _within(desc, forward.idx):
        for operator in inner.ops:
            rename((*operator.inputs, *operator.outputs), names)
    for other in desc.blocks:
        if other.parent_idx == forward.idx:
            other.parent_idx = block.idx
    return list(forward.ops)


def _leave_out(desc: Any, blocks: set[int]) -> None:
    """Drops these blocks, and what lies in them, and numbers the others anew."""
    gone = {block.idx for index in blocks for block in _within(desc, index)}
    kept = [block.idx for block in desc.blocks if block.idx not in gone]
    numbers = {old: new for new, old in enumerate(kept)}
    for index in sorted(gone, reverse=True):
        del desc.blocks[index]
    for block in desc.blocks:
        block.idx = numbers[block.idx]
        block.parent_idx = numbers.get(block.parent_idx, block.parent_idx)
        for one in (one for operator in block.ops for one in operator.attrs):
            if one.type == ATTR_TYPES["BLOCK"]:
                one.block_idx = numbers.get(one.block_idx, one.block_idx)
            elif one.type == ATTR_TYPES["BLOCKS"]:
                one.blocks_idx[:] = [numbers.get(index, index) for index in one.blocks_idx]


def _within(desc: Any, index: int) -> Iterator[Any]:
    inside = {index}
    for block in desc.blocks[index:]:
        if block.idx in inside or block.parent_idx in inside:
            inside.add(block.idx)
            yield block
