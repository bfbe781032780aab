"""CL162: what a branch appends to is one list, and no choice of lists."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from compatload.artifact.model import LOOPS, Artifact
from compatload.faults.cl162_list_in_branch import SELECT
from compatload.programs.legacy_repairs.program import arguments, fill, rename

RULE = "CL162"


def kept_as_one(desc: Any, artifact: Artifact, found: Mapping[str, str]) -> None:
    """``found``: the list behind each chosen one."""
    for block in desc.blocks:
        kept = []
        for operator in block.ops:
            chosen = operator.type == SELECT and not found.keys().isdisjoint(_result(operator))
            rename((*operator.inputs, *operator.outputs), found)
            for slot in operator.inputs if operator.type in LOOPS else ():
                slot.arguments[:] = list(dict.fromkeys(slot.arguments))
            if not chosen and not _copies_itself(operator):
                kept.append(operator)
        if len(kept) < len(block.ops):
            fill(block, kept)


def _copies_itself(operator: Any) -> bool:
    return operator.type == "assign" and arguments(operator.inputs, "X") == _result(operator)


def _result(operator: Any) -> tuple[str, ...]:
    return arguments(operator.outputs, "Out")
