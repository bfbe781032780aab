"""``interpolate`` by a factor that no float32 is: the size it had up to 3.2 (CL123)."""

from __future__ import annotations

from typing import Any

from compatload.operators.decimals import shortest_decimal
from compatload.programs.legacy_repairs.program import (
    FLOAT32,
    INT32,
    LegacyProgram,
    arguments,
    attribute,
    new_operator,
    set_arguments,
)
from compatload.programs.legacy_repairs.standard_operators import (
    assign_value,
    cast,
    elementwise,
    slice_first_axis,
)

RULE = "CL123"
_SPATIAL = {"linear": 1, "bilinear": 2, "bicubic": 2, "nearest": 2, "trilinear": 3}
_SIZES = ("OutSize", "SizeTensor", "Scale")


def _sized(program: LegacyProgram, block: Any, operator: Any, position: str) -> list[Any] | None:
    """The size is computed in float32 from the operand's, and given beside the factor."""
    source = arguments(operator.inputs, "X")
    factors = [float(one) for one in attribute(operator, "scale", ())]
    axes = _SPATIAL[operator.type.split("_")[0]]
    if not program.is_loaded_since("3.3") or len(source) != 1 or len(factors) not in (1, axes):
        return None
    if any(arguments(operator.inputs, slot) for slot in _SIZES):
        return None
    if not any(one > 0 and shortest_decimal(one) != one for one in factors):
        return None
    rank, first = axes + 2, 2 if attribute(operator, "data_layout", "NCHW")[1] == "C" else 1
    stem = source[0]
    shape = program.add_tensor(block, f"{stem}.shape", INT32, (rank,))
    part = program.add_tensor(block, f"{stem}.sizes", INT32, (axes,))
    numbers, product, factor = (
        program.add_tensor(block, f"{stem}.{name}", FLOAT32, (axes,))
        for name in ("numbers", "product", "factor")
    )
    size = program.add_tensor(block, f"{stem}.size", INT32, (axes,))
    values = factors * axes if len(factors) == 1 else factors
    set_arguments(operator.inputs, "OutSize", [size])
    program.record(RULE, "the size is computed in float32", position)
    return [
        new_operator("shape", {"Input": [stem]}, {"Out": [shape]}, {}),
        slice_first_axis(shape, part, first, first + axes),
        cast(part, INT32, numbers, FLOAT32),
        assign_value(factor, FLOAT32, [axes], values),
        elementwise("elementwise_mul", numbers, factor, product),
        cast(product, FLOAT32, size, INT32),
        operator,
    ]


REPAIRS = {f"{kind}_interp_v2": _sized for kind in _SPATIAL}
