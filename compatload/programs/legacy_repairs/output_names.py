"""Outputs have names that no input has (CL178)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from compatload.artifact.model import Artifact, Operator
from compatload.programs.legacy_repairs.program import declare_like, rename

RULE = "CL178"


def called_otherwise(desc: Any, artifact: Artifact, found: Mapping[str, Operator]) -> None:
    """From where an output is made on, it has a name of its own."""
    block = desc.blocks[0]
    declared = {one.name: one for one in block.vars}
    for name in found:
        other = {name: f"{name}/output"}
        declare_like(block, declared[name], other[name])
        is_made = False
        for operator in block.ops:
            if is_made:
                rename(operator.inputs, other)
            elif operator.type == "feed" or _has(operator.inputs, name):
                continue
            is_made = is_made or _has(operator.outputs, name)
            rename(operator.outputs, other)


def _has(slots: Any, name: str) -> bool:
    return any(name in slot.arguments for slot in slots)
