"""A number without dimensions is copied in place of being squeezed, or gets an axis (CL238)."""

from __future__ import annotations

from typing import Any

from compatload.programs.legacy_repairs.program import LegacyProgram, arguments, new_operator
from compatload.programs.legacy_repairs.standard_operators import unsqueeze
from compatload.programs.pir_graph import Writer


def legacy(program: LegacyProgram, block: Any, operator: Any) -> list[Any] | None:
    source, result = arguments(operator.inputs, "X"), arguments(operator.outputs, "Out")
    if program.shape(block, result[0]):
        return [unsqueeze(source[0], result[0], [0])]
    return [new_operator("assign", {"X": source}, {"Out": result}, {})]


def pir(writer: Writer) -> None:
    result = writer.result(0)
    source = writer.operands[0]
    if result.dims:
        writer.emit("reshape", [source, writer.integers(result.dims)], result, into=0)
    else:
        writer.emit("assign", [source], result, into=0)
