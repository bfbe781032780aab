"""A product reads a copy of its weight, which has a name of its own (CL287).

Paddle computes the copy once, while it makes the predictor.
"""

from __future__ import annotations

from typing import Any

from compatload.programs.legacy_repairs.program import LegacyProgram
from compatload.programs.pir_graph import Writer
from compatload.programs.rewritings.copies import by_copy, by_copy_in_pir


def legacy(program: LegacyProgram, block: Any, operator: Any) -> list[Any] | None:
    return by_copy(program, block, operator, "Y", "Out", "weight")


def pir(writer: Writer) -> None:
    by_copy_in_pir(writer, 1)
