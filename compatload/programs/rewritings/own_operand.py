"""An operator reads a copy of its operand (CL295, CL298)."""

from __future__ import annotations

from typing import Any

from compatload.programs.legacy_repairs.program import LegacyProgram, arguments
from compatload.programs.legacy_repairs.standard_operators import assign
from compatload.programs.pir_graph import Writer
from compatload.programs.rewritings.copies import copied, filled


def legacy(program: LegacyProgram, block: Any, operator: Any) -> list[Any] | None:
    """The copy, and the operator on it; None where the program does not say what it is of."""
    (source,), (result,) = arguments(operator.inputs, "X"), arguments(operator.outputs, "Out")
    kind, dims = program.data_type(block, source), program.shape(block, source)
    if kind is None or dims is None:
        return None
    own = program.add_tensor(block, f"{result}.operand", kind, dims)
    return [assign(source, own), filled(copied(operator), {"X": own}, {})]


def pir(writer: Writer) -> None:
    source, *others = writer.operands
    own = writer.emit("assign", [source], writer.values.tensor(source))
    writer.keep(writer.name, I=[{"%": one} for one in (own, *others)])
