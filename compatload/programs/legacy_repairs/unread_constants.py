"""Constants that nothing reads are left out (CL166)."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from compatload.artifact.model import Artifact
from compatload.programs.legacy_repairs.program import fill

RULE = "CL166"


def left_out(desc: Any, artifact: Artifact, found: Collection[str]) -> None:
    for block in desc.blocks:
        kept = [one for one in block.ops if not _makes_one_of(one, found)]
        if len(kept) < len(block.ops):
            fill(block, kept)


def _makes_one_of(operator: Any, found: Collection[str]) -> bool:
    return any(name in found for slot in operator.outputs for name in slot.arguments)
