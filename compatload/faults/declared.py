"""Whole numbers that 2.6 declares, and numbers with a point that it computes (CL114)."""

from __future__ import annotations

from collections.abc import Mapping

# What makes numbers with a point of whole ones, and is declared to make whole ones.
WITH_A_POINT = frozenset({"exp", "expm1", "log", "log10", "log1p", "log2"})

_ARITHMETIC = tuple(
    f"elementwise_{name}"
    for name in ("add", "div", "floordiv", "fmax", "fmin", "max", "min", "mod", "mul", "pow", "sub")
)
# Operators that hand their input's element type on: type → (input slot, output slot).
PRESERVING: Mapping[str, tuple[str, str]] = {
    **dict.fromkeys(
        (
            *("abs", "assign", "clip", "cos", "cumprod", "cumsum", "diag_v2", "dropout", "erf"),
            *("expand_as_v2", "expand_v2", "flatten_contiguous_range", "flip", "floor", "gather"),
            *("gather_nd", "gelu", "index_sample", "index_select", "kron", "leaky_relu"),
            *("log_softmax", "matmul_v2", "p_norm", "pad", "pad3d", "pow", "reciprocal"),
            *("reduce_max", "reduce_mean", "reduce_min", "reduce_prod", "reduce_sum", "relu"),
            *("repeat_interleave", "reshape2", "roll", "round", "rsqrt", "scale", "scatter"),
            *("sigmoid", "sign", "silu", "sin", "softmax", "softplus", "split", "sqrt", "square"),
            *("squeeze2", "swish", "tanh", "tile", "top_k_v2", "transpose2", "tril_triu", "trunc"),
            *("unbind", "unsqueeze2", "where", *_ARITHMETIC),
        ),
        ("X", "Out"),
    ),
    "argsort": ("X", "Out"),
    "concat": ("X", "Out"),
    "diagonal": ("Input", "Out"),
    "masked_select": ("X", "Y"),
    "select_input": ("X", "Out"),
    "stack": ("X", "Y"),
    "slice": ("Input", "Out"),
    "strided_slice": ("Input", "Out"),
    "take_along_axis": ("Input", "Result"),
    "trace": ("Input", "Out"),
    "unstack": ("X", "Y"),
}
