"""A convolution reads a copy of its filter, which has a name of its own (CL292, CL293).

Paddle computes the copy once, while it makes the predictor.
"""

from __future__ import annotations

from typing import Any

from compatload.programs.legacy_repairs.program import LegacyProgram, arguments
from compatload.programs.legacy_repairs.standard_operators import assign
from compatload.programs.pir_graph import Writer
from compatload.programs.rewritings.copies import copied, filled


def legacy(program: LegacyProgram, block: Any, operator: Any) -> list[Any] | None:
    """The copy, and the convolution by it; None where the program does not say what it is of."""
    (filters,), (result,) = (
        arguments(operator.inputs, "Filter"),
        arguments(operator.outputs, "Output"),
    )
    kind, dims = program.data_type(block, filters), program.shape(block, filters)
    if kind is None or dims is None:
        return None
    own = program.add_tensor(block, f"{result}.filter", kind, dims)
    return [assign(filters, own), filled(copied(operator), {"Filter": own}, {})]


def pir(writer: Writer) -> None:
    source, filters, *others = writer.operands
    own = writer.emit("assign", [filters], writer.values.tensor(filters))
    writer.keep(writer.name, I=[{"%": one} for one in (source, own, *others)])
