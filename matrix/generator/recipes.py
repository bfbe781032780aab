"""Recipes: by the name of a parameter, and by function where its parameters hang together."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from matrix.generator.arguments import FLOATS, Draw
from matrix.generator.description import Call

Recipe = Callable[[Draw], Any]
NUMBERS = ("float32", "float64", "int32", "int64", "bool", "float16", "int8", "uint8", "complex64")


def _same(d: Draw) -> Any:
    return d.tensor()


def _other(d: Draw) -> Any:
    """As the first, or as it broadcasts, or a number."""
    kind = d.one_of({"same": 5, "number": 2, "last": 1, "ones": 1, "scalar": 1, "weight": 2, "more": 1})
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
    return d.chance.choice(([-1], [total], [1, -1], [total, 1], [*d.shape, 1], [*reversed(d.shape)], [2, *d.shape]))


def _dtype(d: Draw) -> Any:
    return d.chance.choice(NUMBERS)


def _kernel(d: Draw) -> Any:
    return d.chance.choice((1, 2, 3, 2, 3, [*(d.chance.choice((1, 2, 3)) for _ in range(max(1, d.rank - 2)))]))


def _sizes(d: Draw) -> Any:
    return d.chance.choice((1, 2, 3, 4, [*(d.chance.choice((1, 2, 3, 5)) for _ in range(max(1, d.rank - 2)))]))


def _list(*several: Any) -> Recipe:
    return lambda d: d.chance.choice(several)


def _several(d: Draw) -> Any:
    return [d.tensor() for _ in range(d.count())]


RECIPES: Mapping[str, Recipe] = {
    **dict.fromkeys(("x", "input", "data", "a", "self", "image", "img", "tensor", "input1"), _same),
    **dict.fromkeys(("logit", "logits", "query", "arr", "input2", "x1", "x2", "vec"), _same),
    **dict.fromkeys(("y", "other", "b", "c", "mat2", "values", "value", "target", "test_x"), _other),
    **dict.fromkeys(("inputs", "tensors"), _several),
    "label": lambda d: d.tensor() if d.maybe(0.5) else d.indices(d.shape[:-1]),
    **dict.fromkeys(("index", "indices", "ids", "num_or_indices"), lambda d: d.indices()),
    **dict.fromkeys(("axis", "dim", "start_axis", "stop_axis", "source", "destination"), _axis),
    **dict.fromkeys(("axis1", "axis2", "dim1", "dim2"), Draw.axis),
    **dict.fromkeys(("axes", "dims"), _axes),
    "perm": lambda d: d.chance.sample(range(d.rank), d.rank),
    **dict.fromkeys(("shape", "shape_or_dtype"), _shape),
    "normalized_shape": lambda d: [*d.shape[-d.count() :]],
    "dtype": _dtype,
    **dict.fromkeys(("kernel_size", "stride", "kernel_sizes", "strides"), _kernel),
    **dict.fromkeys(("padding", "paddings"), _list(0, 1, "SAME", "VALID")),
    **dict.fromkeys(("output_size", "size"), _sizes),
    "pad": lambda d: [d.chance.choice((0, 1, 2)) for _ in range(2 * max(1, d.rank - 2))],
    "data_format": lambda d: d.chance.choice({3: ("NCL", "NLC"), 4: ("NCHW", "NHWC"), 5: ("NCDHW", "NDHWC")}.get(d.rank, ("NCHW",))),
    "reduction": _list("mean", "sum", "none"),
    "mode": _list("constant", "reflect", "replicate", "circular", "nearest", "bilinear", "bicubic", "full", "same", "valid", "clip", "wrap", "raise", "reduced", "complete", "area", "trilinear", "linear"),
    "padding_mode": _list("zeros", "border", "reflection"),
    "norm": _list("backward", "ortho", "forward"),
    "rounding_mode": _list("trunc", "floor"),
    "interpolation": _list("linear", "lower", "higher", "midpoint", "nearest"),
    "activation": _list("relu", "tanh", "gelu"),
    "UPLO": _list("L", "U"),
    "side": _list("left", "right"),
    "equation": _list("...i->...", "ij->ji", "...->...", "ij->", "...ij->...ji", "ii->i"),
    "p": _list(1, 2, 0.5, 3.0, "fro", "nuc", 0, -1, float(2)),
    **dict.fromkeys(("n", "k", "num", "chunks", "groups", "num_or_sections", "repeat_times", "num_columns"), _list(1, 2, 3)),
    **dict.fromkeys(("num_classes", "class_num", "depth", "num_rows"), _list(2, 3, 5, 8)),
    **dict.fromkeys(("repeats", "shifts", "decimals", "offset", "diagonal", "d"), _list(0, 1, 2, -1)),
    **dict.fromkeys(("min", "max", "fill_value", "alpha", "beta", "scale", "threshold", "prepend"), Draw.number),
    **dict.fromkeys(("step", "delta", "weight_decay", "eps", "epsilon", "margin", "slope"), _list(0.5, 1.0, 2.0, 1e-3)),
    **dict.fromkeys(("start", "low"), _list(0, 1, -1)),
    **dict.fromkeys(("end", "stop", "high", "bins"), _list(2, 3, 5, 7)),
    **dict.fromkeys(("starts", "offsets"), lambda d: [0 for _ in d.shape]),
    "ends": lambda d: [max(1, n - 1) for n in d.shape],
    **dict.fromkeys(("mask", "condition"), lambda d: d.tensor(dtype="bool")),
    **dict.fromkeys(("weight", "bias"), lambda d: d.weight(*d.shape[-1:])),
    **dict.fromkeys(("upscale_factor", "downscale_factor"), _list(1, 2)),
    "scale_factor": _list(2, 0.5, 1.3, 1.5, 3),
    **dict.fromkeys(("in_features", "input_size", "d_model"), lambda d: d.shape[-1] if d.shape else 1),
    **dict.fromkeys(("num_features", "num_channels", "in_channels", "num_parameters"), lambda d: d.shape[1] if d.rank > 1 else 1),
    **dict.fromkeys(("out_features", "hidden_size", "out_channels", "dim_feedforward"), _list(1, 2, 4)),
    **dict.fromkeys(("num_layers", "nhead", "num_heads", "num_groups"), _list(1, 2)),
    "direction": _list("forward", "bidirect"),
    "dropout": _list(0.0),
    "training": _list(False),
    "maxlen": _list(3, 4),
    "segment_ids": lambda d: d.tensor((d.shape[0] if d.shape else 1,), "int64", 0, 1),
}


def _floats(make: Callable[[Draw], Any]) -> Callable[[Draw], Any]:
    def made(d: Draw) -> Any:
        d.floats()
        return make(d)

    return made


@_floats
def _convolution(d: Draw) -> Any:
    d.dtype = "float32"
    axes = d.rank - 2
    turned = "transpose" in d.function
    groups = d.chance.choice((1, 1, 1, 2, d.shape[1]))
    kernel = [d.chance.choice((1, 2, 3, 3)) for _ in range(axes)]
    filters = groups * d.count()
    shape = [d.shape[1], filters // groups, *kernel] if turned else [filters, d.shape[1] // groups, *kernel]
    return {
        "x": d.tensor(),
        "weight": d.weight(*shape),
        "bias": d.weight(filters) if d.maybe(0.5) else None,
        "stride": d.chance.choice((1, 1, 2, [2] + [1] * (axes - 1))),
        "padding": d.chance.choice((0, 1, 1, "SAME", [1, 0, 0][:axes])),
        "dilation": d.chance.choice((1, 1, 2)),
        "groups": groups,
    }


@_floats
def _linear(d: Draw) -> Any:
    if not d.shape:
        d.shape = (3,)
    wide = d.count() + 1
    bias = d.weight(wide) if d.maybe(0.6) else None
    return {"x": d.tensor(), "weight": d.weight(d.shape[-1], wide), "bias": bias}


def _matmul(d: Draw) -> Any:
    d.dtype = d.one_of({"float32": 8, "float64": 2, "int64": 1})
    d.shape = d.shape or (3,)
    x, y = d.maybe(0.3) and d.rank > 1, d.maybe(0.3)
    inner, wide = d.shape[-2] if x else d.shape[-1], d.count() + 1
    shape = (wide, inner) if y else (inner, wide)
    other = d.weight(*shape) if d.dtype == "float32" and d.maybe(0.5) else d.tensor((*d.shape[:-2], *shape) if d.maybe(0.5) else shape)
    return {"x": d.tensor(), "y": other, "transpose_x": x or None, "transpose_y": y or None}


def _product(d: Draw) -> Any:
    d.floats()
    rows, inner, columns = (d.chance.choice((1, 2, 3, 5)) for _ in range(3))
    batch = (d.count(),) if d.function in ("bmm", "baddbmm") else ()
    made = {"x": d.tensor((*batch, rows, inner)), "y": d.tensor((*batch, inner, columns))}
    if "add" in d.function:
        made = {"input": d.tensor((*batch, rows, columns)), **made, "beta": d.number(), "alpha": d.number()}
    if d.function == "mm":
        return {"input": made["x"], "mat2": made["y"]}
    if d.function == "mv":
        return {"x": made["x"], "vec": d.tensor((inner,))}
    return made


@_floats
def _normalisation(d: Draw) -> Any:
    d.dtype = "float32"
    if d.function == "layer_norm":
        shape = list(d.shape[-d.count() :]) or [1]
        return {"x": d.tensor(), "normalized_shape": shape, "weight": d.weight(*shape) if d.maybe(0.7) else None, "bias": d.weight(*shape) if d.maybe(0.7) else None}
    channels = d.shape[1] if d.rank > 1 else d.size()
    if d.rank < 2:
        d.shape = (2, channels)
    made: dict[str, Any] = {"x": d.tensor()}
    if d.function == "batch_norm":
        made["running_mean"] = d.weight(channels)
        made["running_var"] = d.tensor((channels,), "float32", 0.5, 1.5)
    if d.function == "group_norm":
        made["num_groups"] = 2 if channels % 2 == 0 and channels else 1
    if d.maybe(0.7):
        made |= {"weight": d.weight(channels), "bias": d.weight(channels)}
    return made


def _embedding(d: Draw) -> Any:
    d.dtype = "int64"
    padding = d.chance.choice((None, None, 0, -1))
    return {"x": d.indices(d.shape, 5), "weight": d.weight(5, 3), "padding_idx": padding}


def _one_hot(d: Draw) -> Any:
    return {"x": d.indices(d.shape, 4), "num_classes": d.chance.choice((4, 5, 9))}


def _gathered(d: Draw) -> Any:
    d.shape = d.shape or (3,)
    axis = d.axis()
    return {"x": d.tensor(), "index": d.indices(None, d.shape[axis] or 1), "axis": axis if d.maybe(0.7) else 0}


def _along(d: Draw) -> Any:
    d.shape = d.shape or (3,)
    axis = d.axis()
    made: dict[str, Any] = {"arr": d.tensor(), "indices": d.indices(d.shape, d.shape[axis] or 1)}
    if d.function.startswith("put"):
        made |= {"values": d.tensor(), "axis": axis, "reduce": d.chance.choice(("assign", "add", "mul"))}
    return {**made, "axis": axis}


def _gather_nd(d: Draw) -> Any:
    d.shape = d.shape or (3,)
    return {"x": d.tensor(), "index": d.indices((2, d.chance.randint(1, d.rank)))}


def _scatter(d: Draw) -> Any:
    d.shape = d.shape or (3,)
    many = d.count()
    updates = d.tensor((many, *d.shape[1:]))
    return {"x": d.tensor(), "index": d.indices((many,), d.shape[0] or 1), "updates": updates, "overwrite": d.maybe(0.5)}


def _scatter_nd_add(d: Draw) -> Any:
    d.shape = d.shape or (3,)
    return {"x": d.tensor(), "index": d.indices((2, 1), d.shape[0] or 1), "updates": d.tensor((2, *d.shape[1:]))}


def _index_put(d: Draw) -> Any:
    d.shape = d.shape or (3,)
    this = "x"
    return {this: d.tensor(), "indices": {"tuple": [d.indices((2,), d.shape[0] or 1)]}, "value": d.tensor((2, *d.shape[1:])), "accumulate": d.maybe(0.5)}


def _index_add(d: Draw) -> Any:
    d.shape = d.shape or (3,)
    axis = d.axis()
    shape = list(d.shape)
    shape[axis] = 2
    made = {"x": d.tensor(), "index": d.indices((2,), d.shape[axis] or 1), "axis": axis}
    return made | ({"value": d.tensor(tuple(shape))} if "add" in d.function else {"value": d.number()} if "fill" in d.function else {})


def _bincount(d: Draw) -> Any:
    return {"x": d.indices((5,), 4), "minlength": d.chance.choice((0, 3, 6))}


def _interpolate(d: Draw) -> Any:
    d.floats()
    d.shape = d.chance.choice(((1, 2, 4, 5), (2, 3, 5, 5), (1, 2, 6), (1, 2, 3, 4, 4)))
    modes = {3: ("linear",), 4: ("nearest", "bilinear", "bicubic", "area"), 5: ("trilinear", "nearest")}
    mode = d.chance.choice(modes[d.rank])
    made: dict[str, Any] = {"x": d.tensor(), "mode": mode}
    if d.rank != 4:
        made["data_format"] = "NCW" if d.rank == 3 else "NCDHW"
    axes = d.rank - 2
    if d.maybe(0.5):
        made["scale_factor"] = d.chance.choice((2, 0.5, 1.3, 1.5, 3, 0.7))
    else:
        made["size"] = [d.chance.choice((1, 3, 7, 8)) for _ in range(axes)]
    if mode in ("linear", "bilinear", "bicubic", "trilinear"):
        made |= {"align_corners": d.maybe(0.5)}
        if mode != "bicubic":
            made["align_mode"] = d.chance.choice((0, 1))
    return made


def _grid(d: Draw) -> Any:
    d.dtype = d.chance.choice(FLOATS)
    many = d.count()
    return {"x": d.tensor((many, 2, 4, 5)), "grid": d.tensor((many, 3, 4, 2), low=-1.2, high=1.2), "mode": d.chance.choice(("bilinear", "nearest")), "padding_mode": d.chance.choice(("zeros", "border", "reflection")), "align_corners": d.maybe(0.5)}


def _affine_grid(d: Draw) -> Any:
    d.floats()
    return {"theta": d.tensor((2, 2, 3)), "out_shape": [2, 3, 4, 5], "align_corners": d.maybe(0.5)}


def _pad(d: Draw) -> Any:
    axes = max(1, d.rank - 2) if d.maybe(0.6) else d.rank
    mode = d.chance.choice(("constant", "constant", "reflect", "replicate", "circular"))
    return {"x": d.tensor(), "pad": [d.chance.choice((0, 1, 2)) for _ in range(2 * axes)], "mode": mode, "value": d.chance.choice((0.0, 1.5))}


def _item(d: Draw, axis: int) -> Any:
    kind = d.one_of({"slice": 5, "number": 3, "all": 3, "step": 2, "back": 2})
    size = d.shape[axis]
    if kind == "number" and size:
        return d.chance.randint(-size, size - 1)
    if kind == "step":
        return {"slice": [None, None, 2]}
    if kind == "back":
        return {"slice": [None, None, -1]}
    if kind == "slice":
        return {"slice": [d.chance.choice((None, 0, 1, -2)), d.chance.choice((None, 1, 2, -1, 9)), None]}
    return {"slice": [None, None, None]}


def _items(d: Draw) -> Any:
    d.shape = d.shape or (3, 2)
    kind = d.one_of({"plain": 6, "mask": 2, "indices": 2, "none": 1, "ellipsis": 2})
    if kind == "mask":
        return d.tensor(d.shape[: d.chance.randint(1, d.rank)], "bool")
    if kind == "indices":
        return d.indices(None, d.shape[0] or 1)
    many = d.chance.randint(1, d.rank)
    items = [_item(d, axis) for axis in range(many)]
    if kind == "none":
        items.insert(d.chance.randint(0, many), None)
    if kind == "ellipsis":
        items = [{"ellipsis": 1}, _item(d, d.rank - 1)]
    return {"tuple": items} if len(items) > 1 else items[0]


def _getitem(d: Draw) -> Any:
    d.shape = d.shape or (3, 2)
    return {"a": d.tensor(), "b": _items(d)}


def _setitem(d: Draw) -> Any:
    d.shape = d.shape or (3, 2)
    value = d.number() if d.maybe(0.6) else d.tensor(() if d.maybe(0.4) else d.shape[1:])
    return {"a": d.tensor(), "b": _items(d), "c": value}


def _attention(d: Draw) -> Any:
    d.dtype = "float32"
    shape = (d.count(), d.chance.choice((3, 4)), 2, 4)
    causal = d.maybe(0.4)
    mask = None if causal or d.maybe(0.5) else d.tensor((shape[0], 1, shape[1], shape[1]))
    return {"query": d.tensor(shape), "key": d.tensor(shape), "value": d.tensor(shape), "attn_mask": mask, "is_causal": causal}


def _recurrent(d: Draw) -> Any:
    d.dtype = "float32"
    wide = d.count() + 1
    made: dict[str, Any] = {"input_size": wide, "hidden_size": d.count() + 1}
    if not d.function.endswith("Cell"):
        made |= {"num_layers": d.chance.choice((1, 2)), "time_major": d.maybe(0.3), "direction": d.chance.choice(("forward", "bidirect"))}
        return Call("", made, (d.tensor((2, d.chance.choice((1, 3, 5)), wide)),))
    return Call("", made, (d.tensor((2, wide)),))


def _transformer(d: Draw) -> Any:
    d.dtype = "float32"
    made = {"d_model": 4, "nhead": 2, "dim_feedforward": 6, "dropout": 0.0, "activation": d.chance.choice(("relu", "gelu")), "normalize_before": d.maybe(0.5)}
    one = d.tensor((2, 3, 4))
    return Call("", made, (one, d.tensor((2, 5, 4))) if "Decoder" in d.function else (one,))


def _multi_head(d: Draw) -> Any:
    d.dtype = "float32"
    made = {"embed_dim": 4, "num_heads": d.chance.choice((1, 2, 4)), "need_weights": d.maybe(0.2)}
    if d.maybe(0.4):
        return Call("", made, (d.tensor((2, 3, 4)),))
    return Call("", made, (d.tensor((2, 3, 4)), d.tensor((2, 5, 4)), d.tensor((2, 5, 4))))


def _segments(d: Draw) -> Any:
    many = d.count()
    return {"data": d.tensor((many, 3)), "segment_ids": d.tensor((many,), "int64", 0, 1)}


def _messages(d: Draw) -> Any:
    d.floats()
    made = {"x": d.tensor((4, 3)), "src_index": d.indices((5,), 4), "dst_index": d.indices((5,), 4)}
    if d.function == "send_u_recv":
        return {**made, "reduce_op": d.chance.choice(("sum", "mean", "max", "min"))}
    if d.function == "send_uv":
        made = {"x": made["x"], "y": d.tensor((4, 3)), "src_index": made["src_index"], "dst_index": made["dst_index"]}
        return {**made, "message_op": d.chance.choice(("add", "sub", "mul", "div"))}
    made = {"x": made["x"], "y": d.tensor((5, 3)), "src_index": made["src_index"], "dst_index": made["dst_index"]}
    return {**made, "message_op": d.chance.choice(("add", "sub", "mul")), "reduce_op": d.chance.choice(("sum", "mean", "max", "min"))}


def _boxes(d: Draw) -> Any:
    d.dtype = "float32"
    made: dict[str, Any] = {"x": d.tensor((1, 4, 6, 6)), "boxes": d.tensor((2, 4), low=0.0, high=5.0)}
    made["output_size"] = 2
    made["boxes_num"] = d.tensor((1,), "int32", 2, 3)
    return made


def _nms(d: Draw) -> Any:
    d.dtype = "float32"
    return {"boxes": d.tensor((5, 4), low=0.0, high=5.0), "iou_threshold": d.chance.choice((0.1, 0.3, 0.7))}


def _cross_entropy(d: Draw) -> Any:
    d.floats()
    many, classes = d.count(), 4
    return {"input": d.tensor((many, classes)), "label": d.indices((many,), classes), "reduction": d.chance.choice(("mean", "sum", "none"))}


def _hsigmoid(d: Draw) -> Any:
    d.dtype = "float32"
    return {"input": d.tensor((3, 4)), "label": d.indices((3, 1), 5), "num_classes": 5, "weight": d.weight(4, 4)}


def _ctc(d: Draw) -> Any:
    d.dtype = "float32"
    return {"log_probs": d.tensor((5, 2, 4)), "labels": d.tensor((2, 2), "int32", 1, 4), "input_lengths": d.tensor((2,), "int64", 5, 6), "label_lengths": d.tensor((2,), "int64", 2, 3)}


def _stacked(d: Draw) -> Any:
    return {"x": [d.tensor() for _ in range(d.count())], "axis": d.axis() if d.maybe(0.7) and d.function in ("concat", "stack") else None}


def _tensors(name: str) -> Callable[[Draw], Any]:
    return lambda d: {name: [d.tensor() for _ in range(d.count() + 1)]}


def _einsum(d: Draw) -> Any:
    raise ValueError("its operands have no name")


def _where(d: Draw) -> Any:
    return {"condition": d.tensor(dtype="bool"), "x": d.tensor(), "y": _other(d)}


def _repeat(d: Draw) -> Any:
    d.shape = d.shape or (3,)
    axis = d.axis()
    repeats = d.chance.choice((1, 2, 3)) if d.maybe(0.5) else d.tensor((d.shape[axis],), "int64", 0, 3)
    return {"x": d.tensor(), "repeats": repeats, "axis": axis}


def _sorted(d: Draw) -> Any:
    return {"sorted_sequence": {"weight": [5]} if d.maybe(0.2) else d.tensor((5,), low=0, high=1), "values": d.tensor()} if d.function == "searchsorted" else {"x": d.tensor(), "sorted_sequence": d.tensor((5,), low=0, high=1)}


def _sequence_mask(d: Draw) -> Any:
    return {"x": d.indices(d.shape, 4), "maxlen": d.chance.choice((4, 6)), "dtype": d.chance.choice(("int64", "float32", "bool"))}


def _topk(d: Draw) -> Any:
    d.shape = d.shape or (3,)
    return {"x": d.tensor(), "k": d.chance.choice((1, 2)), "axis": d.axis(), "largest": d.maybe(0.5)}


def _as_strided(d: Draw) -> Any:
    return {"x": d.tensor((4, 4)), "shape": [2, 3], "stride": [1, 2], "offset": d.chance.choice((0, 1))}


def _unfold(d: Draw) -> Any:
    d.floats()
    d.shape = (d.count(), 2, 5, 6)
    return {"x": d.tensor(), "kernel_sizes": d.chance.choice((2, [2, 3])), "strides": d.chance.choice((1, 2)), "paddings": d.chance.choice((0, 1)), "dilations": 1}


def _fold(d: Draw) -> Any:
    d.floats()
    return {"x": d.tensor((2, 8, 12)), "output_sizes": [4, 5], "kernel_sizes": 2}


def _deform(d: Draw) -> Any:
    d.dtype = "float32"
    return {"x": d.tensor((1, 2, 5, 5)), "offset": d.tensor((1, 18, 3, 3)), "weight": d.weight(2, 2, 3, 3), "mask": d.tensor((1, 9, 3, 3)) if d.maybe(0.5) else None}


def _shifted(d: Draw) -> Any:
    d.shape = (4, 4, 3, 3)
    return {"x": d.tensor(), "seg_num": 2, "shift_ratio": 0.25}


def _stft(d: Draw) -> Any:
    d.floats()
    return {"x": d.tensor((2, 32)), "n_fft": 8, "hop_length": d.chance.choice((None, 4)), "center": d.maybe(0.5), "onesided": d.maybe(0.7)}


def _bilinear(d: Draw) -> Any:
    d.floats()
    return {"x1": d.tensor((2, 3)), "x2": d.tensor((2, 4)), "weight": d.weight(5, 3, 4), "bias": d.weight(1, 5)}


def _pools(d: Draw) -> Any:
    d.floats()
    made = {"x": d.tensor(), "kernel_size": _kernel(d), "stride": _kernel(d), "padding": d.chance.choice((0, 1, 0, "SAME"))}
    if d.function.startswith("max"):
        made["return_mask"] = d.maybe(0.3)
    elif d.maybe(0.5):
        made["exclusive"] = d.maybe(0.5)
    return {**made, "ceil_mode": d.maybe(0.4)}


def _adaptive(d: Draw) -> Any:
    d.floats()
    return {"x": d.tensor(), "output_size": _sizes(d)}


def _softplus(d: Draw) -> Any:
    d.floats()
    return {"x": d.tensor(low=-9.0, high=9.0), "beta": d.chance.choice((1, 2.0, 0.5)), "threshold": d.chance.choice((20, 1.0, 3.0))}


def _clip(d: Draw) -> Any:
    return {"x": d.tensor(), "min": d.chance.choice((None, -0.5, 0, -1)), "max": d.chance.choice((None, 0.5, 1, 2.5))}


SPECIAL: Mapping[str, Recipe] = {
    **{f"{kind}{n}d{turned}": _convolution for kind in ("conv",) for n in (1, 2, 3) for turned in ("", "_transpose")},
    **{f"{kind}_pool{n}d": _pools for kind in ("max", "avg") for n in (1, 2, 3)},
    **{f"adaptive_{kind}_pool{n}d": _adaptive for kind in ("max", "avg") for n in (1, 2, 3)},
    **dict.fromkeys(("linear", "fused_linear"), _linear),
    "matmul": _matmul,
    **dict.fromkeys(("mm", "bmm", "addmm", "mv", "baddbmm"), _product),
    **dict.fromkeys(("layer_norm", "batch_norm", "group_norm", "instance_norm"), _normalisation),
    "embedding": _embedding,
    "one_hot": _one_hot,
    **dict.fromkeys(("gather", "index_select"), _gathered),
    **dict.fromkeys(("take_along_axis", "put_along_axis"), _along),
    "gather_nd": _gather_nd,
    "scatter": _scatter,
    "scatter_nd_add": _scatter_nd_add,
    "index_put": _index_put,
    **dict.fromkeys(("index_add", "index_fill"), _index_add),
    "bincount": _bincount,
    **dict.fromkeys(("interpolate", "upsample"), _interpolate),
    "grid_sample": _grid,
    "affine_grid": _affine_grid,
    "pad": _pad,
    "getitem": _getitem,
    "setitem": _setitem,
    "scaled_dot_product_attention": _attention,
    **dict.fromkeys(("LSTM", "GRU", "SimpleRNN", "LSTMCell", "GRUCell", "SimpleRNNCell"), _recurrent),
    **dict.fromkeys(("TransformerEncoderLayer", "TransformerDecoderLayer"), _transformer),
    "MultiHeadAttention": _multi_head,
    **dict.fromkeys(("segment_sum", "segment_mean", "segment_max", "segment_min"), _segments),
    **dict.fromkeys(("send_u_recv", "send_ue_recv", "send_uv"), _messages),
    **dict.fromkeys(("roi_align", "roi_pool"), _boxes),
    "nms": _nms,
    **dict.fromkeys(("cross_entropy", "softmax_with_cross_entropy", "nll_loss"), _cross_entropy),
    "hsigmoid_loss": _hsigmoid,
    "ctc_loss": _ctc,
    **dict.fromkeys(("concat", "stack", "hstack", "vstack", "dstack", "column_stack", "row_stack"), _stacked),
    **dict.fromkeys(("add_n", "broadcast_tensors"), lambda d: {("inputs" if d.function == "add_n" else "input"): _several(d)}),
    "multi_dot": lambda d: {"x": [d.tensor((2, 3), "float32"), d.tensor((3, 4), "float32"), d.tensor((4, 2), "float32")]},
    "einsum": _einsum,
    "where": _where,
    "repeat_interleave": _repeat,
    **dict.fromkeys(("searchsorted", "bucketize"), _sorted),
    "sequence_mask": _sequence_mask,
    "topk": _topk,
    "as_strided": _as_strided,
    "unfold": _unfold,
    "fold": _fold,
    "deform_conv2d": _deform,
    "temporal_shift": _shifted,
    "stft": _stft,
    "bilinear": _bilinear,
    "softplus": _softplus,
    "clip": _clip,
}
