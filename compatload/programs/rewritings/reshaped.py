"""The second operand of a product, of one column, is reshaped in place of being transposed (CL257).

``[…, N, 1]`` and ``[…, 1, N]`` have the same numbers in the same order.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from compatload.operators.products import TRANSPOSE_SECOND
from compatload.programs.legacy_repairs.program import (
    LegacyProgram,
    arguments,
    attribute_type,
    copied,
    set_attribute,
)
from compatload.programs.legacy_repairs.standard_operators import reshape
from compatload.programs.pir_graph import Writer
from compatload.programs.rewritings.copies import filled

_PRODUCT = "matmul"


def _turned(dims: Sequence[int]) -> list[int]:
    """What a reshape is told: zeros keep sizes, and the last one follows from the others."""
    return [*[0] * (len(dims) - 2), 1, -1]


def _turned_dims(dims: Sequence[int]) -> tuple[int, ...]:
    return (*dims[:-2], dims[-1], dims[-2])


def legacy(program: LegacyProgram, block: Any, operator: Any) -> list[Any] | None:
    """A product, or the transposition before it; None for what is neither."""
    if operator.type in ("transpose", "transpose2"):
        (source,), (result,) = arguments(operator.inputs, "X"), arguments(operator.outputs, "Out")
        return [reshape(source, result, _turned(program.shape(block, result) or ()))]
    flag = next((name for name in TRANSPOSE_SECOND if attribute_type(operator, name)), None)
    second = arguments(operator.inputs, "Y")
    kind, dims = program.data_type(block, second[0]), program.shape(block, second[0])
    if flag is None or kind is None or dims is None:
        return None
    turned = program.add_tensor(block, f"{second[0]}.turned", kind, _turned_dims(dims))
    product = filled(copied(operator), {"Y": turned}, {})
    set_attribute(product, flag, "BOOLEAN", False)
    return [reshape(second[0], turned, _turned(dims)), product]


def pir(writer: Writer) -> None:
    if writer.name != _PRODUCT:
        (source,) = writer.operands
        result = writer.result(0)
        writer.emit("reshape", [source, writer.integers(_turned(result.dims))], result, into=0)
        return
    first, second = writer.operands
    tensor = writer.values.tensor(second)
    turned = type(tensor)(tensor.element, _turned_dims(tensor.dims))
    value = writer.emit("reshape", [second, writer.integers(_turned(tensor.dims))], turned)
    attributes = [
        {**one, "AT": {**one["AT"], "D": False}} if one["N"] in TRANSPOSE_SECOND else one
        for one in writer.original["A"]
    ]
    writer.keep(_PRODUCT, I=[{"%": first}, {"%": value}], A=attributes)
