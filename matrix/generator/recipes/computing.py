"""Values for functions that compute: layers, products, norms, pools, losses, images."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from matrix.generator.arguments import FLOATS, Draw
from matrix.generator.description import Call
from matrix.generator.recipes.by_name import Recipe, kernel, sizes


def floats(make: Callable[[Draw], Any]) -> Callable[[Draw], Any]:
    def made(d: Draw) -> Any:
        d.floats()
        return make(d)

    return made


@floats
def _convolution(d: Draw) -> Any:
    d.dtype = "float32"
    axes = d.rank - 2
    turned = "transpose" in d.function
    groups = d.chance.choice((1, 1, 1, 2, d.shape[1]))
    kernel = [d.chance.choice((1, 2, 3, 3)) for _ in range(axes)]
    filters = groups * d.count()
    shape = (
        [d.shape[1], filters // groups, *kernel]
        if turned
        else [filters, d.shape[1] // groups, *kernel]
    )
    return {
        "x": d.tensor(),
        "weight": d.weight(*shape),
        "bias": d.weight(filters) if d.maybe(0.5) else None,
        "stride": d.chance.choice((1, 1, 2, [2] + [1] * (axes - 1))),
        "padding": d.chance.choice((0, 1, 1, "SAME", [1, 0, 0][:axes])),
        "dilation": d.chance.choice((1, 1, 2)),
        "groups": groups,
    }


@floats
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
    other = (
        d.weight(*shape)
        if d.dtype == "float32" and d.maybe(0.5)
        else d.tensor((*d.shape[:-2], *shape) if d.maybe(0.5) else shape)
    )
    return {"x": d.tensor(), "y": other, "transpose_x": x or None, "transpose_y": y or None}


def _product(d: Draw) -> Any:
    d.floats()
    rows, inner, columns = (d.chance.choice((1, 2, 3, 5)) for _ in range(3))
    if d.function == "mv":
        return {"x": d.tensor((rows, inner)), "vec": d.tensor((inner,))}
    batch = (d.count(),) if d.function in ("bmm", "baddbmm") else ()
    made = {"x": d.tensor((*batch, rows, inner)), "y": d.tensor((*batch, inner, columns))}
    if "add" in d.function:
        made = {
            "input": d.tensor((*batch, rows, columns)),
            **made,
            "beta": d.number(),
            "alpha": d.number(),
        }
    if d.function == "mm":
        return {"input": made["x"], "mat2": made["y"]}
    return made


@floats
def _normalisation(d: Draw) -> Any:
    d.dtype = "float32"
    if d.function == "layer_norm":
        shape = list(d.shape[-d.count() :]) or [1]
        return {
            "x": d.tensor(),
            "normalized_shape": shape,
            "weight": d.weight(*shape) if d.maybe(0.7) else None,
            "bias": d.weight(*shape) if d.maybe(0.7) else None,
        }
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


def _attention(d: Draw) -> Any:
    d.dtype = "float32"
    shape = (d.count(), d.chance.choice((3, 4)), 2, 4)
    causal = d.maybe(0.4)
    mask = None if causal or d.maybe(0.5) else d.tensor((shape[0], 1, shape[1], shape[1]))
    return {
        "query": d.tensor(shape),
        "key": d.tensor(shape),
        "value": d.tensor(shape),
        "attn_mask": mask,
        "is_causal": causal,
    }


def _recurrent(d: Draw) -> Any:
    d.dtype = "float32"
    wide = d.count() + 1
    made: dict[str, Any] = {"input_size": wide, "hidden_size": d.count() + 1}
    if not d.function.endswith("Cell"):
        made |= {
            "num_layers": d.chance.choice((1, 2)),
            "time_major": d.maybe(0.3),
            "direction": d.chance.choice(("forward", "bidirect")),
        }
        return Call("", made, (d.tensor((2, d.chance.choice((1, 3, 5)), wide)),))
    return Call("", made, (d.tensor((2, wide)),))


def _transformer(d: Draw) -> Any:
    d.dtype = "float32"
    made = {
        "d_model": 4,
        "nhead": 2,
        "dim_feedforward": 6,
        "dropout": 0.0,
        "activation": d.chance.choice(("relu", "gelu")),
        "normalize_before": d.maybe(0.5),
    }
    one = d.tensor((2, 3, 4))
    return Call("", made, (one, d.tensor((2, 5, 4))) if "Decoder" in d.function else (one,))


def _whole_transformer(d: Draw) -> Any:
    made = _transformer(d)
    made.arguments.update({"num_encoder_layers": 1, "num_decoder_layers": 1})
    return Call("", made.arguments, (*made.on[:1], d.tensor((2, 5, 4))))


def _multi_head(d: Draw) -> Any:
    d.dtype = "float32"
    made = {"embed_dim": 4, "num_heads": d.chance.choice((1, 2, 4)), "need_weights": d.maybe(0.2)}
    if d.maybe(0.4):
        return Call("", made, (d.tensor((2, 3, 4)),))
    return Call("", made, (d.tensor((2, 3, 4)), d.tensor((2, 5, 4)), d.tensor((2, 5, 4))))


def _messages(d: Draw) -> Any:
    d.floats()
    made = {"x": d.tensor((4, 3)), "src_index": d.indices((5,), 4), "dst_index": d.indices((5,), 4)}
    if d.function == "send_u_recv":
        return {**made, "reduce_op": d.chance.choice(("sum", "mean", "max", "min"))}
    if d.function == "send_uv":
        made = {
            "x": made["x"],
            "y": d.tensor((4, 3)),
            "src_index": made["src_index"],
            "dst_index": made["dst_index"],
        }
        return {**made, "message_op": d.chance.choice(("add", "sub", "mul", "div"))}
    made = {
        "x": made["x"],
        "y": d.tensor((5, 3)),
        "src_index": made["src_index"],
        "dst_index": made["dst_index"],
    }
    return {
        **made,
        "message_op": d.chance.choice(("add", "sub", "mul")),
        "reduce_op": d.chance.choice(("sum", "mean", "max", "min")),
    }


def _boxes(d: Draw) -> Any:
    d.dtype = "float32"
    made: dict[str, Any] = {
        "x": d.tensor((1, 4, 6, 6)),
        "boxes": d.tensor((2, 4), low=0.0, high=5.0),
    }
    made["output_size"] = 2
    made["boxes_num"] = d.tensor((1,), "int32", 2, 3)
    return made


def _nms(d: Draw) -> Any:
    d.dtype = "float32"
    return {
        "boxes": d.tensor((5, 4), low=0.0, high=5.0),
        "iou_threshold": d.chance.choice((0.1, 0.3, 0.7)),
    }


def _cross_entropy(d: Draw) -> Any:
    d.floats()
    many, classes = d.count(), 4
    return {
        "input": d.tensor((many, classes)),
        "label": d.indices((many,), classes),
        "reduction": d.chance.choice(("mean", "sum", "none")),
    }


def _hsigmoid(d: Draw) -> Any:
    d.dtype = "float32"
    return {
        "input": d.tensor((3, 4)),
        "label": d.indices((3, 1), 5),
        "num_classes": 5,
        "weight": d.weight(4, 4),
    }


def _ctc(d: Draw) -> Any:
    d.dtype = "float32"
    return {
        "log_probs": d.tensor((5, 2, 4)),
        "labels": d.tensor((2, 2), "int32", 1, 4),
        "input_lengths": d.tensor((2,), "int64", 5, 6),
        "label_lengths": d.tensor((2,), "int64", 2, 3),
    }


def _interpolate(d: Draw) -> Any:
    d.floats()
    d.shape = d.chance.choice(((1, 2, 4, 5), (2, 3, 5, 5), (1, 2, 6), (1, 2, 3, 4, 4)))
    modes = {
        3: ("linear",),
        4: ("nearest", "bilinear", "bicubic", "area"),
        5: ("trilinear", "nearest"),
    }
    mode = d.chance.choice(modes[d.rank])
    made: dict[str, Any] = {"x": d.tensor(), "mode": mode}
    if d.rank != 4:
        made["data_format"] = "NCW" if d.rank == 3 else "NCDHW"
    axes = d.rank - 2
    if "antialias" in d.parameters and mode in ("bilinear", "bicubic"):
        made["antialias"] = d.maybe(0.3)
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
    return {
        "x": d.tensor((many, 2, 4, 5)),
        "grid": d.tensor((many, 3, 4, 2), low=-1.2, high=1.2),
        "mode": d.chance.choice(("bilinear", "nearest")),
        "padding_mode": d.chance.choice(("zeros", "border", "reflection")),
        "align_corners": d.maybe(0.5),
    }


def _affine_grid(d: Draw) -> Any:
    d.floats()
    return {"theta": d.tensor((2, 2, 3)), "out_shape": [2, 3, 4, 5], "align_corners": d.maybe(0.5)}


def _deform(d: Draw) -> Any:
    d.dtype = "float32"
    return {
        "x": d.tensor((1, 2, 5, 5)),
        "offset": d.tensor((1, 18, 3, 3)),
        "weight": d.weight(2, 2, 3, 3),
        "mask": d.tensor((1, 9, 3, 3)) if d.maybe(0.5) else None,
    }


def _shifted(d: Draw) -> Any:
    d.shape = (4, 4, 3, 3)
    return {"x": d.tensor(), "seg_num": 2, "shift_ratio": 0.25}


def _stft(d: Draw) -> Any:
    d.floats()
    return {
        "x": d.tensor((2, 32)),
        "n_fft": 8,
        "hop_length": d.chance.choice((None, 4)),
        "center": d.maybe(0.5),
        "onesided": d.maybe(0.7),
    }


def _bilinear(d: Draw) -> Any:
    d.floats()
    return {
        "x1": d.tensor((2, 3)),
        "x2": d.tensor((2, 4)),
        "weight": d.weight(5, 3, 4),
        "bias": d.weight(1, 5),
    }


def _pools(d: Draw) -> Any:
    d.floats()
    made = {
        "x": d.tensor(),
        "kernel_size": kernel(d),
        "stride": kernel(d),
        "padding": d.chance.choice((0, 1, 0, "SAME")),
    }
    if d.function.startswith("max"):
        made["return_mask"] = d.maybe(0.3)
    elif d.maybe(0.5):
        made["exclusive"] = d.maybe(0.5)
    return {**made, "ceil_mode": d.maybe(0.4)}


def _adaptive(d: Draw) -> Any:
    d.floats()
    return {"x": d.tensor(), "output_size": sizes(d)}


def _softplus(d: Draw) -> Any:
    d.floats()
    return {
        "x": d.tensor(low=-9.0, high=9.0),
        "beta": d.chance.choice((1, 2.0, 0.5)),
        "threshold": d.chance.choice((20, 1.0, 3.0)),
    }


def _unfold(d: Draw) -> Any:
    d.floats()
    d.shape = (d.count(), 2, 5, 6)
    return {
        "x": d.tensor(),
        "kernel_sizes": d.chance.choice((2, [2, 3])),
        "strides": d.chance.choice((1, 2)),
        "paddings": d.chance.choice((0, 1)),
        "dilations": 1,
    }


def _fold(d: Draw) -> Any:
    d.floats()
    return {"x": d.tensor((2, 8, 12)), "output_sizes": [4, 5], "kernel_sizes": 2}


def _segments(d: Draw) -> Any:
    many = d.count()
    return {"data": d.tensor((many, 3)), "segment_ids": d.tensor((many,), "int64", 0, 1)}


COMPUTING: Mapping[str, Recipe] = {
    **{
        f"{kind}{n}d{turned}": _convolution
        for kind in ("conv",)
        for n in (1, 2, 3)
        for turned in ("", "_transpose")
    },
    **{f"{kind}_pool{n}d": _pools for kind in ("max", "avg") for n in (1, 2, 3)},
    **{f"adaptive_{kind}_pool{n}d": _adaptive for kind in ("max", "avg") for n in (1, 2, 3)},
    **dict.fromkeys(("linear", "fused_linear"), _linear),
    "matmul": _matmul,
    **dict.fromkeys(("mm", "bmm", "addmm", "mv", "baddbmm"), _product),
    **dict.fromkeys(("layer_norm", "batch_norm", "group_norm", "instance_norm"), _normalisation),
    "embedding": _embedding,
    **dict.fromkeys(("interpolate", "upsample"), _interpolate),
    "grid_sample": _grid,
    "affine_grid": _affine_grid,
    "scaled_dot_product_attention": _attention,
    **dict.fromkeys(
        ("LSTM", "GRU", "SimpleRNN", "LSTMCell", "GRUCell", "SimpleRNNCell"), _recurrent
    ),
    **dict.fromkeys(("TransformerEncoderLayer", "TransformerDecoderLayer"), _transformer),
    "Transformer": _whole_transformer,
    "MultiHeadAttention": _multi_head,
    **dict.fromkeys(("segment_sum", "segment_mean", "segment_max", "segment_min"), _segments),
    **dict.fromkeys(("send_u_recv", "send_ue_recv", "send_uv"), _messages),
    **dict.fromkeys(("roi_align", "roi_pool"), _boxes),
    "nms": _nms,
    **dict.fromkeys(("cross_entropy", "softmax_with_cross_entropy", "nll_loss"), _cross_entropy),
    "hsigmoid_loss": _hsigmoid,
    "ctc_loss": _ctc,
    "unfold": _unfold,
    "fold": _fold,
    "deform_conv2d": _deform,
    "temporal_shift": _shifted,
    "stft": _stft,
    "bilinear": _bilinear,
    "softplus": _softplus,
}
