"""Vectors are multiplied place by place, and that is summed (CL617)."""

from __future__ import annotations

from typing import Any

from compatload.programs.legacy_repairs.program import LegacyProgram, arguments
from compatload.programs.legacy_repairs.standard_operators import elementwise, reduce_all
from compatload.programs.pir_graph import Tensor, Writer


def legacy(program: LegacyProgram, block: Any, operator: Any) -> list[Any] | None:
    (left,), (right,) = arguments(operator.inputs, "X"), arguments(operator.inputs, "Y")
    (result,) = arguments(operator.outputs, "Out")
    kind, dims = program.data_type(block, left), program.shape(block, left)
    if kind is None or dims is None:
        return None
    places = program.add_tensor(block, f"{result}.places", kind, dims)
    return [
        elementwise("elementwise_mul", left, right, places),
        reduce_all("reduce_sum", places, result),
    ]


def pir(writer: Writer) -> None:
    result = writer.result(0)
    left, right = writer.operands
    dims = writer.values.tensor(left).dims
    places = writer.emit("multiply", [left, right], Tensor(result.element, dims))
    writer.summed(places, 0, result, into=0)
