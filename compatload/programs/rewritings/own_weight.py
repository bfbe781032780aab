"""A convolution, or a product, reads a copy of its weight, which has a name of its own (CL287,
CL292, CL293).

Paddle computes the copy once, while it makes the predictor.
"""

from __future__ import annotations

from typing import Any

from compatload.programs.legacy_repairs.program import LegacyProgram, arguments
from compatload.programs.pir_graph import Writer
from compatload.programs.rewritings.copies import by_copy, by_copy_in_pir


def legacy(program: LegacyProgram, block: Any, operator: Any) -> list[Any] | None:
    if arguments(operator.inputs, "Filter"):
        return by_copy(program, block, operator, "Filter", "Output", "filter")
    return by_copy(program, block, operator, "Y", "Out", "weight")


def pir(writer: Writer) -> None:
    by_copy_in_pir(writer, 1)
