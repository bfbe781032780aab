"""The norm along an axis of a number is the sum of nothing (CL139)."""

from __future__ import annotations

from typing import Any

from compatload.programs.legacy_repairs.program import LegacyProgram, arguments, new_operator
from compatload.programs.pir_graph import Writer


def legacy(program: LegacyProgram, block: Any, operator: Any) -> list[Any] | None:
    source, result = arguments(operator.inputs, "X"), arguments(operator.outputs, "Out")
    told = {"value": ("FLOAT", 0.0), "dtype": ("INT", -1)}
    return [new_operator("fill_any_like", {"X": source}, {"Out": result}, told)]


def pir(writer: Writer) -> None:
    writer.emit("assign", [writer.filled_like(writer.operands[0], 0.0)], writer.result(0), into=0)
