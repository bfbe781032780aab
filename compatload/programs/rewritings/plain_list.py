"""What an operator takes a list of are copies, which oneDNN does not lay out (CL644)."""

from __future__ import annotations

from typing import Any

from compatload.programs.legacy_repairs.program import (
    LegacyProgram,
    arguments,
    copied,
    set_arguments,
)
from compatload.programs.legacy_repairs.standard_operators import assign
from compatload.programs.pir_graph import Writer


def legacy(program: LegacyProgram, block: Any, operator: Any) -> list[Any] | None:
    copies, names = [], []
    for place, source in enumerate(arguments(operator.inputs, "X")):
        kind, dims = program.data_type(block, source), program.shape(block, source)
        if kind is None or dims is None:
            return None
        names.append(program.add_tensor(block, f"{source}.plain{place}", kind, dims))
        copies.append(assign(source, names[-1]))
    taking = copied(operator)
    set_arguments(taking.inputs, "X", names)
    return [*copies, taking]


def pir(writer: Writer) -> None:
    (several,) = writer.operands
    parts = writer.taken_apart(several, writer.values.tensors(several))
    writer.keep(writer.name, I=[{"%": writer.joined([writer.copy(one) for one in parts])}])
