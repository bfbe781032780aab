"""Outputs in their order for ``paddle.jit.load`` of 2.6, which takes copies first (CL133)."""

from __future__ import annotations

from collections.abc import Iterable

from compatload.artifact.model import TensorSpec
from compatload.artifact.program_proto import message
from compatload.faults.cl133_outputs_out_of_order import COPY

RULE = "CL133"


def is_mixed(outputs: Iterable[TensorSpec]) -> bool:
    """Whether some outputs are such copies, and some are not."""
    return len({one.name.startswith(COPY) for one in outputs}) > 1


def ordered(data: bytes) -> bytes:
    """The program with copies that are not known as such; names of outputs differ."""
    desc = message("ProgramDesc")
    desc.ParseFromString(data)
    for block in desc.blocks:
        for variable in block.vars:
            variable.name = _plain(variable.name)
        for operator in block.ops:
            for slot in (*operator.inputs, *operator.outputs):
                slot.arguments[:] = map(_plain, slot.arguments)
    return bytes(desc.SerializeToString())


def _plain(name: str) -> str:
    return f"compatload/{name}" if name.startswith(COPY) else name
