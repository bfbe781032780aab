"""Values for functions that few models have: each wants arguments that hang together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from matrix.generator.arguments import Draw
from matrix.generator.description import Call
from matrix.generator.recipes.by_name import Recipe
from matrix.generator.recipes.computing import floats


def _definite(d: Draw) -> Any:
    """A matrix that has a root and an inverse: what is drawn, times itself, and a diagonal."""
    d.dtype = d.one_of({"float32": 3, "float64": 1})
    size = d.chance.choice((1, 2, 3))
    batch = d.chance.choice(((), (), (2,)))
    one = d.tensor((*batch, size, size))
    square = d.before(Call("paddle.matmul", {"x": one, "y": one, "transpose_y": True}))
    return d.before(Call("operator.add", {"a": square, "b": {"eye": size}})), (*batch, size)


def _of_definite(d: Draw) -> Any:
    return {"x": _definite(d)[0]}


def _solved(d: Draw) -> Any:
    matrix, shape = _definite(d)
    right = d.tensor((*shape, d.count()))
    if d.function == "cholesky_solve":
        return {"x": right, "y": d.before(Call("paddle.linalg.cholesky", {"x": matrix}))}
    if d.function == "lu_solve":
        d.before(Call("paddle.linalg.lu", {"x": matrix}))
        last = len(d.calls) - 1
        return {"b": right, "lu": {"result": [last, 0]}, "pivots": {"result": [last, 1]}}
    return {"x": matrix, "y": right}


def _unpacked(d: Draw) -> Any:
    matrix, _ = _definite(d)
    d.before(Call("paddle.linalg.lu", {"x": matrix}))
    last = len(d.calls) - 1
    return {"x": {"result": [last, 0]}, "y": {"result": [last, 1]}}


def _reflected(d: Draw) -> Any:
    d.dtype = d.one_of({"float32": 3, "float64": 1})
    made = {"x": d.tensor((4, 3)), "tau": d.tensor((3,))}
    return {**made, "y": d.tensor((4, 2))} if d.function == "ormqr" else made


def _unpooled(d: Draw) -> Any:
    d.dtype = "float32"
    axes = int(d.function.lower()[-2])
    one = d.tensor((2, 3, *(4, 6, 4)[:axes]))
    pool = Call(
        f"paddle.nn.functional.max_pool{axes}d", {"x": one, "kernel_size": 2, "return_mask": True}
    )
    d.before(pool)
    last = len(d.calls) - 1
    values, places = {"result": [last, 0]}, {"result": [last, 1]}
    if d.function.startswith("Max"):
        return Call("", {"kernel_size": 2}, (values, places))
    return {"x": values, "indices": places, "kernel_size": 2}


def _prior_boxes(d: Draw) -> Any:
    d.dtype = "float32"
    return {
        "input": d.tensor((1, 3, 4, 5)),
        "image": d.tensor((1, 3, 9, 9)),
        "min_sizes": [d.chance.choice((2.0, 4.0))],
        "aspect_ratios": d.chance.choice(([1.0], [1.0, 2.0])),
        "clip": d.maybe(0.5),
        "flip": d.maybe(0.5),
    }


def _coded_boxes(d: Draw) -> Any:
    d.dtype = "float32"
    many = d.count()
    return {
        "prior_box": d.tensor((many, 4), low=0.1, high=5.0),
        "prior_box_var": d.chance.choice(([0.1, 0.1, 0.2, 0.2], [1.0, 1.0, 1.0, 1.0])),
        "target_box": d.tensor((many, many, 4), low=0.1, high=5.0),
        "code_type": "decode_center_size",
        "box_normalized": d.maybe(0.5),
    }


def _yolo_boxes(d: Draw) -> Any:
    d.dtype = "float32"
    return {
        "x": d.tensor((1, 14, 3, 3)),
        "img_size": d.tensor((1, 2), "int32", 90, 99),
        "anchors": [10, 13, 16, 30],
        "class_num": 2,
        "conf_thresh": d.chance.choice((0.01, 0.5)),
        "downsample_ratio": 32,
        "clip_bbox": d.maybe(0.5),
    }


def _suppressed(d: Draw) -> Any:
    d.dtype = "float32"
    return {
        "bboxes": d.tensor((1, 6, 4), low=0.0, high=9.0),
        "scores": d.tensor((1, 2, 6), low=0.0, high=1.0),
        "score_threshold": 0.1,
        "post_threshold": d.chance.choice((0.0, 0.2)),
        "nms_top_k": 4,
        "keep_top_k": 3,
        "use_gaussian": d.maybe(0.5),
        "background_label": d.chance.choice((-1, 0)),
    }


def _tree(d: Draw) -> Any:
    return {"ids": d.indices((3, 2, 2), 5), "parents": d.indices((3, 2, 2), 2)}


def _sampled_rows(d: Draw) -> Any:
    rows, columns = d.count(), d.chance.choice((2, 4))
    return {"x": d.tensor((rows, columns)), "index": d.indices((rows, d.count()), columns)}


def _multiplexed(d: Draw) -> Any:
    d.dtype = d.one_of({"float32": 3, "int64": 1})
    return {
        "inputs": [d.tensor((3, 2)), d.tensor((3, 2))],
        "index": d.tensor((3, 1), "int32", 0, 2),
    }


def _istft(d: Draw) -> Any:
    return {"x": d.tensor((2, 5, 9), "complex64"), "n_fft": 8, "center": d.maybe(0.5)}


def _rotated(d: Draw) -> Any:
    d.dtype = "float32"
    q, k = d.tensor((1, 4, 2, 4)), d.tensor((1, 4, 2, 4))
    return {"q": q, "k": k, "use_neox_rotary_style": d.maybe(0.5)}


def _edited(d: Draw) -> Any:
    return {
        "input": d.indices((2, 3), 5),
        "label": d.indices((2, 4), 5),
        "input_length": d.tensor((2,), "int64", 2, 4),
        "label_length": d.tensor((2,), "int64", 2, 5),
        "normalized": d.maybe(0.5),
    }


def _margins(d: Draw) -> Any:
    d.dtype = "float32"
    return {
        "logits": d.tensor((3, 4), low=-0.9, high=0.9),
        "label": d.indices((3, 1), 4),
        "return_softmax": d.maybe(0.5),
    }


def _transducer(d: Draw) -> Any:
    d.dtype = "float32"
    return {
        "input": d.tensor((2, 4, 3, 5)),
        "label": d.tensor((2, 2), "int32", 1, 5),
        "input_lengths": d.tensor((2,), "int32", 4, 5),
        "label_lengths": d.tensor((2,), "int32", 2, 3),
        "blank": 0,
        "fastemit_lambda": 0.0,
    }


def _soft_labels(d: Draw) -> Any:
    d.dtype = "float32"
    soft = d.maybe(0.3)
    label = d.tensor((3, 4), low=0.0, high=1.0) if soft else d.indices((3, 1), 4)
    return {"logits": d.tensor((3, 4)), "label": label, "soft_label": soft}


def _images(*shape: int) -> Recipe:
    return lambda d: {"x": d.tensor(shape)}


def _lp_pool(d: Draw) -> Any:
    d.dtype = "float32"
    axes = 1 if "1" in d.function else 2
    return {
        "x": d.tensor((2, 3, 6, 6)[: axes + 2]),
        "norm_type": d.chance.choice((1, 2, 3)),
        "kernel_size": 2,
        "stride": d.chance.choice((1, 2)),
    }


def _norm_of_matrix(d: Draw) -> Any:
    d.dtype = "float32"
    wide = d.chance.choice((4, 8))
    made: dict[str, Any] = {"x": d.tensor((2, 3, wide)), "norm_weight": d.weight(wide)}
    return {**made, "norm_bias": d.weight(wide), "epsilon": 1e-5, "begin_norm_axis": 2}


def _placed(d: Draw) -> Any:
    x = d.tensor((3, 4))
    if d.function == "select_scatter":
        return {"x": x, "values": d.tensor((3,)), "axis": 1, "index": d.chance.choice((0, -1, 2))}
    if d.function == "slice_scatter":
        made = {"x": x, "value": d.tensor((3, 2)), "axes": [1]}
        return {**made, "starts": [1], "ends": [3], "strides": [1]}
    return {"x": x, "y": d.tensor((3,)), "offset": 0}


def _narrowed(d: Draw) -> Any:
    return {"input": d.tensor((4, 5)), "dim": d.chance.choice((0, 1, -1)), "start": 1, "length": 2}


RARE: Mapping[str, Recipe] = {
    **dict.fromkeys(("cholesky", "inv", "inverse", "matrix_exp", "slogdet", "eigh"), _of_definite),
    **dict.fromkeys(("solve", "cholesky_solve", "lu_solve"), _solved),
    "lu_unpack": _unpacked,
    **dict.fromkeys(("householder_product", "ormqr"), _reflected),
    **dict.fromkeys((f"max_unpool{n}d" for n in (1, 2, 3)), _unpooled),
    **dict.fromkeys((f"MaxUnPool{n}D" for n in (1, 2, 3)), _unpooled),
    "prior_box": _prior_boxes,
    "box_coder": _coded_boxes,
    "yolo_box": _yolo_boxes,
    "matrix_nms": _suppressed,
    "gather_tree": _tree,
    "index_sample": _sampled_rows,
    "multiplex": _multiplexed,
    "istft": _istft,
    "fused_rotary_position_embedding": _rotated,
    "edit_distance": _edited,
    "margin_cross_entropy": _margins,
    "rnnt_loss": _transducer,
    "softmax_with_cross_entropy": _soft_labels,
    **dict.fromkeys(("lp_pool1d", "lp_pool2d"), _lp_pool),
    **dict.fromkeys(("fused_rms_norm", "fused_layer_norm"), _norm_of_matrix),
    **dict.fromkeys(("select_scatter", "slice_scatter", "diagonal_scatter"), _placed),
    "narrow": _narrowed,
    "softmax_mask_fuse": floats(
        lambda d: {"x": d.tensor((2, 2, 3, 4)), "mask": d.tensor((2, 1, 3, 4))}
    ),
    "softmax_mask_fuse_upper_triangle": _images(2, 2, 4, 4),
    "shard_index": lambda d: {
        "input": d.indices((3, 1), 10),
        "index_num": 10,
        "nshards": 2,
        "shard_id": 1,
    },
    "log_loss": lambda d: {
        "input": d.tensor((3, 1), "float32", 0.1, 0.9),
        "label": d.tensor((3, 1), "float32", 0, 1),
    },
    "dice_loss": lambda d: {
        "input": d.tensor((3, 4), "float32", 0.1, 0.9),
        "label": d.indices((3, 1), 4),
    },
    "renorm": floats(lambda d: {"x": d.tensor((3, 4)), "p": 2.0, "axis": 0, "max_norm": 1.0}),
    "zeropad2d": floats(lambda d: {"x": d.tensor((1, 2, 3, 4)), "padding": [1, 0, 2, 1]}),
    **dict.fromkeys(
        ("tensor_split", "vsplit", "hsplit", "dsplit"),
        lambda d: {
            "x": d.tensor((4, 4, 4)),
            "num_or_indices": d.chance.choice(
                (2, 3, [1, 3]) if d.function == "tensor_split" else (2, [1, 3])
            ),
        },
    ),
    **dict.fromkeys(
        ("gcd", "lcm"),
        lambda d: {"x": d.tensor((3, 4), "int64", 1, 20), "y": d.tensor((4,), "int64", 1, 20)},
    ),
    **dict.fromkeys(
        ("bitwise_left_shift", "bitwise_right_shift"),
        lambda d: {"x": d.tensor((3, 4), "int32", 0, 20), "y": d.tensor((3, 4), "int32", 0, 4)},
    ),
    "multi_label_margin_loss": floats(
        lambda d: {"input": d.tensor((3, 4)), "label": d.tensor((3, 4), "int64", -1, 4)}
    ),
    "reduce_as": floats(lambda d: {"x": d.tensor((2, 3, 4)), "target": d.tensor((3, 4))}),
    "polygamma": floats(lambda d: {"x": d.tensor(low=0.5, high=3.0), "n": d.count()}),
    "view_as": lambda d: {"x": d.tensor((3, 4)), "other": d.tensor((4, 3))},
    "Bilinear": lambda d: Call(
        "",
        {"in1_features": 3, "in2_features": 4, "out_features": 5},
        (d.tensor((2, 3), "float32"), d.tensor((2, 4), "float32")),
    ),
    "Embedding": lambda d: Call(
        "", {"num_embeddings": 5, "embedding_dim": 3}, (d.indices((2, 3), 5),)
    ),
    "SpectralNorm": lambda d: Call(
        "", {"weight_shape": [3, 4], "power_iters": 2}, (d.tensor((3, 4), "float32"),)
    ),
    "HSigmoidLoss": lambda d: Call(
        "",
        {"feature_size": 4, "num_classes": 5},
        (d.tensor((3, 4), "float32"), d.indices((3, 1), 5)),
    ),
    "Fold": lambda d: Call(
        "", {"output_sizes": [4, 5], "kernel_sizes": 2}, (d.tensor((2, 8, 12), "float32"),)
    ),
    **dict.fromkeys(
        ("LPPool1D", "LPPool2D"),
        lambda d: Call(
            "",
            {"norm_type": d.chance.choice((1, 2, 3)), "kernel_size": 2},
            (d.tensor((2, 3, 6, 6)[: int(d.function[-2]) + 2], "float32"),),
        ),
    ),
}
