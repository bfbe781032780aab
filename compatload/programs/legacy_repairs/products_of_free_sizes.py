"""``mul`` of a tensor with several free sizes, as fully connected layers of static programs have
it: the product of matrices, which is the same (CL173)."""

from __future__ import annotations

from typing import Any

from compatload.programs.legacy_repairs.program import (
    LegacyProgram,
    arguments,
    attribute,
    new_operator,
)
from compatload.programs.legacy_repairs.standard_operators import flatten

RULE = "CL173"


def _as_product(
    program: LegacyProgram, block: Any, operator: Any, position: str
) -> list[Any] | None:
    """The axes behind those that stay are made one first."""
    slots = [arguments(operator.inputs, name) for name in ("X", "Y")]
    results = arguments(operator.outputs, "Out")
    if any(len(names) != 1 for names in (*slots, results)):
        return None
    (value,), (weight,) = slots
    kind, dims = program.data_type(block, value), program.shape(block, value)
    matrix, kept = program.shape(block, weight), attribute(operator, "x_num_col_dims", 1)
    if kind is None or dims is None or matrix is None or len(matrix) != 2:
        return None
    free = [size < 0 for size in dims]
    if not 0 < kept < len(dims) or sum(free[:kept]) < 2:
        return None
    before = []
    if kept < len(dims) - 1:
        flat = program.add_tensor(block, f"{value}.flat", kind, (*dims[:kept], matrix[0]))
        before = [flatten(value, flat, kept, len(dims) - 1)]
        value = flat
    program.record(RULE, "mul became matmul_v2", position)
    told = {"trans_x": ("BOOLEAN", False), "trans_y": ("BOOLEAN", False)}
    product = new_operator("matmul_v2", {"X": [value], "Y": [weight]}, {"Out": results}, told)
    return [*before, product]


REPAIRS = {"mul": _as_product}
