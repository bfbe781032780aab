"""Loops of legacy programs begin with copies of parameters (CL154)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from compatload.artifact.model import Artifact
from compatload.artifact.program_proto import message
from compatload.programs.legacy_repairs.program import arguments, copied
from compatload.programs.legacy_repairs.standard_operators import assign

RULE = "CL154"

_LOOP = "while"


def begun_with_copies(data: bytes, artifact: Artifact) -> bytes:
    """``data``, a program of ``artifact``, whose loops leave parameters as they are stored; as it
    is where they do. What is no parameter but a buffer may be meant to change."""
    trained = artifact.trainable_parameters
    if not trained or _LOOP.encode() not in data:
        return data
    desc = message("ProgramDesc")
    desc.ParseFromString(data)
    block = desc.blocks[0]
    changed = [name for name in _carried(block) if name in trained]
    if not changed:
        return data
    copies = {name: f"{name}/begun" for name in changed}
    for variable in [one for one in block.vars if one.name in copies]:
        block.vars.add().CopyFrom(variable)
        block.vars[-1].name = copies[variable.name]
        block.vars[-1].persistable = False
    for one in desc.blocks:
        for operator in one.ops:
            for slot in (*operator.inputs, *operator.outputs):
                slot.arguments[:] = [copies.get(name, name) for name in slot.arguments]
    operators = [copied(one) for one in block.ops]
    begins = next((n for n, one in enumerate(operators) if one.type != "feed"), len(operators))
    del block.ops[:]
    made = [assign(name, copy) for name, copy in copies.items()]
    block.ops.extend([*operators[:begins], *made, *operators[begins:]])
    return bytes(desc.SerializeToString())


def _carried(block: Any) -> Iterator[str]:
    for operator in block.ops:
        if operator.type == _LOOP:
            yield from arguments(operator.outputs, "Out")
