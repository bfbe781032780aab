"""Numbers without dimensions are stacked and summed in place of being added up (CL265)."""

from __future__ import annotations

from typing import Any

from compatload.programs.legacy_repairs.program import LegacyProgram, arguments, new_operator
from compatload.programs.legacy_repairs.standard_operators import reduce_all
from compatload.programs.pir_graph import Tensor, Writer


def legacy(program: LegacyProgram, block: Any, operator: Any) -> list[Any] | None:
    numbers, (result,) = arguments(operator.inputs, "X"), arguments(operator.outputs, "Out")
    kind = program.data_type(block, result)
    if kind is None:
        return None
    stacked = program.add_tensor(block, f"{result}.stacked", kind, [len(numbers)])
    return [
        new_operator("stack", {"X": numbers}, {"Y": [stacked]}, {"axis": ("INT", 0)}),
        reduce_all("reduce_sum", stacked, result),
    ]


def pir(writer: Writer) -> None:
    result = writer.result(0)
    many = Tensor(result.element, (-1,))
    stacked = writer.emit("stack", writer.operands, many, [("axis", "0.a_i32", 0)])
    writer.summed(stacked, 0, result, into=0)
