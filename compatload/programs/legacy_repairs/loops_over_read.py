"""Loops of legacy programs write into copies of what others read (CL170)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from compatload.artifact.model import LOOPS, Artifact
from compatload.artifact.program_desc import sub_blocks
from compatload.programs.legacy_repairs.program import declare_like, fill, rename
from compatload.programs.legacy_repairs.standard_operators import assign

RULE = "CL170"


def written_elsewhere(desc: Any, artifact: Artifact, found: Mapping[int, Sequence[str]]) -> None:
    """From these loops on, by their number in the main block, their states are other variables."""
    block = desc.blocks[0]
    own = list(block.ops)
    loops = [place for place, one in enumerate(own) if one.type in LOOPS]
    declared = {one.name: one for one in block.vars}
    now: dict[str, str] = {}
    before: dict[int, list[Any]] = {}
    for number, states in found.items():
        place = loops[number]
        carried = {name for slot in own[place].outputs for name in slot.arguments}
        # A parameter may have another name by now (CL154).
        states = [one for one in states if now.get(one, one) in carried]
        names = {now.get(one, one): f"{now.get(one, one)}/loop{number}" for one in states}
        for old, new in names.items():
            declared[new] = declare_like(block, declared[old], new)
        for operator in _from(desc, own[place:]):
            rename((*operator.inputs, *operator.outputs), names)
        before[place] = [assign(old, new) for old, new in names.items()]
        now.update((one, names[now.get(one, one)]) for one in states)
    fill(block, [o for place, one in enumerate(own) for o in (*before.get(place, ()), one)])


def _from(desc: Any, operators: Sequence[Any]) -> Iterator[Any]:
    """These operators, and those of the blocks that they own."""
    waiting, seen = [*operators], set[int]()
    while waiting:
        operator = waiting.pop()
        yield operator
        for block in sub_blocks(operator):
            if block not in seen:
                seen.add(block)
                waiting += desc.blocks[block].ops
