"""A result is copied, which puts its memory in the order of its axes (CL611)."""

from __future__ import annotations

from typing import Any

from compatload.programs.legacy_repairs.program import LegacyProgram, arguments, copied
from compatload.programs.legacy_repairs.standard_operators import assign
from compatload.programs.pir_graph import Writer
from compatload.programs.rewritings.copies import filled


def legacy(program: LegacyProgram, block: Any, operator: Any) -> list[Any] | None:
    """None where the program does not say what the result is."""
    (result,) = arguments(operator.outputs, "Out")
    kind, dims = program.data_type(block, result), program.shape(block, result)
    if kind is None or dims is None:
        return None
    made = program.add_tensor(block, f"{result}.made", kind, dims)
    return [filled(copied(operator), {}, {"Out": made}), assign(made, result)]


def pir(writer: Writer) -> None:
    result = writer.result(0)
    made = writer.values.new(result)
    writer.keep(writer.name, O=[{"%": made, "TT": result.as_json()}])
    writer.emit("assign", [made], result, into=0)
