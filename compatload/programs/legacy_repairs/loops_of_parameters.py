"""Loops of legacy programs begin with copies of parameters (CL154)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from compatload.artifact.model import Artifact
from compatload.artifact.program_proto import message
from compatload.programs.legacy_repairs.program import arguments, begin_with, declare_like
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
        declare_like(block, variable, copies[variable.name]).persistable = False
    for one in desc.blocks:
        for operator in one.ops:
            for slot in (*operator.inputs, *operator.outputs):
                slot.arguments[:] = [copies.get(name, name) for name in slot.arguments]
    begin_with(block, [assign(name, copy) for name, copy in copies.items()])
    return bytes(desc.SerializeToString())


def _carried(block: Any) -> Iterator[str]:
    for operator in block.ops:
        if operator.type == _LOOP:
            yield from arguments(operator.outputs, "Out")
