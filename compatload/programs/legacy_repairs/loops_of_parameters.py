"""Loops of legacy programs begin with copies of parameters (CL154)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from compatload.artifact.model import Artifact
from compatload.programs.legacy_repairs.program import begin_with, declare_like, rename
from compatload.programs.legacy_repairs.standard_operators import assign

RULE = "CL154"


def begun_with_copies(desc: Any, artifact: Artifact, found: Sequence[str]) -> None:
    """Loops leave these parameters as they are stored."""
    block = desc.blocks[0]
    copies = {name: f"{name}/begun" for name in found}
    for variable in [one for one in block.vars if one.name in copies]:
        declare_like(block, variable, copies[variable.name])
    for operator in (operator for one in desc.blocks for operator in one.ops):
        rename((*operator.inputs, *operator.outputs), copies)
    begin_with(block, [assign(name, copy) for name, copy in copies.items()])
