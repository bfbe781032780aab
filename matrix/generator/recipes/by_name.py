"""Values by the name of a parameter."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from matrix.generator.arguments import Draw

Recipe = Callable[[Draw], Any]
NUMBERS = ("float32", "float64", "int32", "int64", "bool", "float16", "int8", "uint8", "complex64")


def _same(d: Draw) -> Any:
    return d.tensor()


def other(d: Draw) -> Any:
    """As the first, or as it broadcasts, or a number."""
    kind = d.one_of(
        {"same": 5, "number": 2, "last": 1, "ones": 1, "scalar": 1, "weight": 2, "more": 1}
    )
    if kind == "number":
        return d.number()
    if kind == "weight" and d.dtype == "float32" and d.rank:
        return d.weight(*d.shape[-d.chance.randint(1, d.rank) :])
    shapes = {
        "last": d.shape[-1:],
        "ones": tuple(1 if d.maybe(0.5) else n for n in d.shape),
        "scalar": (),
        "more": (2, *d.shape),
    }
    return d.tensor(shapes.get(kind, d.shape))


def _axis(d: Draw) -> Any:
    if d.rank > 1 and d.maybe(0.15):
        return sorted(d.chance.sample(range(d.rank), 2))
    return d.axis()


def _axes(d: Draw) -> Any:
    return d.chance.sample(range(d.rank), d.chance.randint(1, d.rank)) if d.rank else []


def _shape(d: Draw) -> Any:
    total = 1
    for n in d.shape:
        total *= n
    return d.chance.choice(
        ([-1], [total], [1, -1], [total, 1], [*d.shape, 1], [*reversed(d.shape)], [2, *d.shape])
    )


def _dtype(d: Draw) -> Any:
    return d.chance.choice(NUMBERS)


def kernel(d: Draw) -> Any:
    return d.chance.choice(
        (1, 2, 3, 2, 3, [*(d.chance.choice((1, 2, 3)) for _ in range(max(1, d.rank - 2)))])
    )


def sizes(d: Draw) -> Any:
    return d.chance.choice(
        (1, 2, 3, 4, [*(d.chance.choice((1, 2, 3, 5)) for _ in range(max(1, d.rank - 2)))])
    )


def _list(*several: Any) -> Recipe:
    return lambda d: d.chance.choice(several)


def several(d: Draw) -> Any:
    return [d.tensor() for _ in range(d.count())]


RECIPES: Mapping[str, Recipe] = {
    **dict.fromkeys(("x", "input", "data", "a", "self", "image", "img", "tensor", "input1"), _same),
    **dict.fromkeys(("logit", "logits", "query", "arr", "input2", "x1", "x2", "vec"), _same),
    **dict.fromkeys(("y", "other", "b", "c", "mat2", "values", "value", "target", "test_x"), other),
    **dict.fromkeys(("inputs", "tensors"), several),
    "label": lambda d: d.tensor() if d.maybe(0.5) else d.indices(d.shape[:-1]),
    **dict.fromkeys(("index", "indices", "ids"), lambda d: d.indices()),
    **dict.fromkeys(("axis", "dim", "start_axis", "stop_axis", "source", "destination"), _axis),
    **dict.fromkeys(("axis1", "axis2", "dim1", "dim2"), Draw.axis),
    **dict.fromkeys(("axes", "dims"), _axes),
    "perm": lambda d: d.chance.sample(range(d.rank), d.rank),
    **dict.fromkeys(("shape", "shape_or_dtype"), _shape),
    "normalized_shape": lambda d: [*d.shape[-d.count() :]],
    "dtype": _dtype,
    **dict.fromkeys(("kernel_size", "stride", "kernel_sizes", "strides"), kernel),
    **dict.fromkeys(("padding", "paddings"), _list(0, 1, "SAME", "VALID")),
    **dict.fromkeys(("output_size", "size"), sizes),
    "pad": lambda d: [d.chance.choice((0, 1, 2)) for _ in range(2 * max(1, d.rank - 2))],
    "data_format": lambda d: d.chance.choice(
        {3: ("NCL", "NLC"), 4: ("NCHW", "NHWC"), 5: ("NCDHW", "NDHWC")}.get(d.rank, ("NCHW",))
    ),
    "reduction": _list("mean", "sum", "none"),
    "mode": _list(
        "constant",
        "reflect",
        "replicate",
        "circular",
        "nearest",
        "bilinear",
        "bicubic",
        "full",
        "same",
        "valid",
        "clip",
        "wrap",
        "raise",
        "reduced",
        "complete",
        "area",
        "trilinear",
        "linear",
    ),
    "padding_mode": _list("zeros", "border", "reflection"),
    "norm": _list("backward", "ortho", "forward"),
    "rounding_mode": _list("trunc", "floor"),
    "interpolation": _list("linear", "lower", "higher", "midpoint", "nearest"),
    "activation": _list("relu", "tanh", "gelu"),
    "UPLO": _list("L", "U"),
    "side": _list("left", "right"),
    "equation": _list("...i->...", "ij->ji", "...->...", "ij->", "...ij->...ji", "ii->i"),
    "p": _list(1, 2, 0.5, 3.0, "fro", "nuc", 0, -1, float(2)),
    **dict.fromkeys(
        ("n", "k", "num", "chunks", "groups", "num_or_sections", "repeat_times", "num_columns"),
        _list(1, 2, 3),
    ),
    **dict.fromkeys(("num_classes", "class_num", "depth", "num_rows"), _list(2, 3, 5, 8)),
    **dict.fromkeys(
        ("repeats", "shifts", "decimals", "offset", "diagonal", "d"), _list(0, 1, 2, -1)
    ),
    **dict.fromkeys(
        ("min", "max", "fill_value", "alpha", "beta", "scale", "threshold", "prepend"), Draw.number
    ),
    **dict.fromkeys(
        ("step", "delta", "weight_decay", "eps", "epsilon", "margin", "slope"),
        _list(0.5, 1.0, 2.0, 1e-3),
    ),
    **dict.fromkeys(("start", "low"), _list(0, 1, -1)),
    **dict.fromkeys(("end", "stop", "high", "bins"), _list(2, 3, 5, 7)),
    **dict.fromkeys(("starts", "offsets"), lambda d: [0 for _ in d.shape]),
    "ends": lambda d: [max(1, n - 1) for n in d.shape],
    **dict.fromkeys(("mask", "condition"), lambda d: d.tensor(dtype="bool")),
    **dict.fromkeys(("weight", "bias"), lambda d: d.weight(*d.shape[-1:])),
    **dict.fromkeys(("upscale_factor", "downscale_factor"), _list(1, 2)),
    "scale_factor": _list(2, 0.5, 1.3, 1.5, 3),
    **dict.fromkeys(
        ("in_features", "input_size", "d_model"), lambda d: d.shape[-1] if d.shape else 1
    ),
    **dict.fromkeys(
        ("num_features", "num_channels", "in_channels", "num_parameters"),
        lambda d: d.shape[1] if d.rank > 1 else 1,
    ),
    **dict.fromkeys(
        ("out_features", "hidden_size", "out_channels", "dim_feedforward"), _list(1, 2, 4)
    ),
    **dict.fromkeys(("num_layers", "nhead", "num_heads", "num_groups"), _list(1, 2)),
    "direction": _list("forward", "bidirect"),
    "dropout": _list(0.0),
    "training": _list(False),
    "maxlen": _list(3, 4),
    "segment_ids": lambda d: d.tensor((d.shape[0] if d.shape else 1,), "int64", 0, 1),
}
