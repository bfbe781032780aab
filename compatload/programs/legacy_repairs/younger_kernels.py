"""Operators of programs that 3.x saved, of a dtype that 2.6 has no kernel for (CL176)."""

from __future__ import annotations

from typing import Any

from compatload.programs.legacy_repairs.program import LegacyProgram

RULE = "CL176"
# Read out of the registries of 2.6.2 and 3.x: what has kernels of further types since.
_OF_NUMBERS = frozenset(
    {
        *("allclose", "argsort", "bilinear_interp", "ceil", "cumsum", "dropout", "elementwise_add"),
        *("elementwise_max", "elementwise_min", "elementwise_mod", "elementwise_mul"),
        *("elementwise_sub", "fill_any_like", "flatten2", "floor", "gather", "grad_add"),
        *("index_select", "isinf_v2", "masked_select", "nearest_interp", "pad", "pool2d", "pool3d"),
        *("put_along_axis", "reshape", "roll", "round", "size", "take_along_axis", "tile"),
        *("top_k_v2", "tril_triu", "unpool", "unpool3d", "where", "where_index"),
    }
)
# Those of complex numbers, which real and imaginary parts are computed for.
_OF_PARTS = frozenset(
    {
        *("crop", "cross", "diag_v2", "elementwise_pow", "equal", "fill_diagonal_tensor"),
        *("flatten_contiguous_range", "frobenius_norm", "index_add", "isfinite_v2", "isnan_v2"),
        *("log", "log10", "log1p", "log2", "meshgrid", "not_equal", "pow", "reciprocal"),
        *("reduce_all", "reduce_any", "repeat_interleave", "rsqrt", "scatter", "scatter_nd_add"),
        *("repeat_interleave_with_tensor_index", "sign", "sqrt", "square"),
    }
)


def _computed_otherwise(
    program: LegacyProgram, block: Any, operator: Any, position: str
) -> list[Any] | None:
    if not program.is_saved_since("3.0"):
        return None  # its own types may be wrong, and 2.6 runs what 2.6 saved
    # The converter of PIR programs, which few loads of a legacy one need: 12 ms.
    from compatload.programs.legacy_repairs.pir_operation import fitted

    steps = fitted(program, block, operator)
    if steps is not None:
        program.record(RULE, f"{operator.type} is computed in types that 2.6 has", position)
    return steps


REPAIRS = dict.fromkeys(_OF_NUMBERS | _OF_PARTS, _computed_otherwise)
