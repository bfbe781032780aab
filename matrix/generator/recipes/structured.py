"""Values for functions whose arguments have a structure: boxes, labels, graphs, quantisers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from matrix.generator.arguments import Draw
from matrix.generator.description import Call
from matrix.generator.recipes.by_name import Recipe
from matrix.generator.recipes.programs import accuracy


def _indices(d: Draw) -> Any:
    """What takes no tensor: its result is added to one."""
    d.then.append(
        Call("operator.add", {"a": {"result": 0}, "b": d.tensor((1,), "int64", 0, 3)}),
    )
    return {"row": d.count() + 1, "col": d.count() + 1, "offset": d.chance.choice((0, 1, -1))}


def _reindexed(d: Draw) -> Any:
    """Three nodes with two neighbours each."""
    made: dict[str, Any] = {"x": d.before(Call("paddle.arange", {"start": 3}))}
    kinds = 2 if d.function == "reindex_heter_graph" else 1
    neighbours = [d.tensor((6,), "int64", 0, 9) for _ in range(kinds)]
    counts = [
        d.before(Call("paddle.full", {"shape": [3], "fill_value": 2, "dtype": "int32"}))
        for _ in range(kinds)
    ]
    if kinds == 2:
        return {**made, "neighbors": neighbours, "count": counts}
    return {**made, "neighbors": neighbours[0], "count": counts[0]}


def _distributed(d: Draw) -> Any:
    return {
        "fpn_rois": d.tensor((5, 4), "float32", 0.0, 200.0),
        "min_level": 2,
        "max_level": 4,
        "refer_level": 3,
        "refer_scale": 224,
        "rois_num": d.tensor((1,), "int32", 5, 6),
    }


def _proposed(d: Draw) -> Any:
    d.dtype = "float32"
    return {
        "scores": d.tensor((1, 2, 3, 3), low=0.0, high=1.0),
        "bbox_deltas": d.tensor((1, 8, 3, 3)),
        "img_size": d.tensor((1, 2), low=40.0, high=50.0),
        "anchors": d.weight(3, 3, 2, 4),
        "variances": d.weight(3, 3, 2, 4),
        "pre_nms_top_n": 9,
        "post_nms_top_n": 4,
        "return_rois_num": True,
    }


def _of_positions(d: Draw) -> Any:
    """Eight channels are two for each of four places of a box."""
    d.dtype = "float32"
    return {
        "x": d.tensor((1, 8, 6, 6)),
        "boxes": d.tensor((2, 4), low=0.0, high=5.0),
        "boxes_num": d.tensor((1,), "int32", 2, 3),
        "output_size": 2,
    }


def _of_yolo(d: Draw) -> Any:
    d.dtype = "float32"
    return {
        "x": d.tensor((2, 14, 4, 4)),
        "gt_box": d.tensor((2, 3, 4), low=0.1, high=0.6),
        "gt_label": d.tensor((2, 3), "int32", 0, 2),
        "anchors": [10, 13, 16, 30],
        "anchor_mask": [0, 1],
        "class_num": 2,
        "ignore_thresh": 0.7,
        "downsample_ratio": 32,
        "use_label_smooth": d.maybe(0.5),
    }


def _ranked(d: Draw) -> Any:
    d.dtype = "float32"
    made: dict[str, Any] = {"x": d.tensor((3, 4))}
    kinds = ("tol", "atol") if "atol" in d.parameters else ("tol",)
    kind = d.chance.choice(kinds)
    low = d.tensor((), low=0.01, high=0.5)
    return {**made, kind: low, **({"rtol": low} if kind == "atol" else {})}


def _viterbi(d: Draw) -> Any:
    """With tags of a beginning and an end, of which there are two more than three."""
    d.dtype = "float32"
    tags = d.chance.choice((3, 5))
    return {
        "potentials": d.tensor((2, 4, tags)),
        "transition_params": d.tensor((tags, tags)),
        "lengths": d.tensor((2,), "int64", 2, 5),
        "include_bos_eos_tag": tags == 5,
    }


def _quantiser(d: Draw) -> Any:
    return Call("", {"name": None, "quant_bits": 8}, (d.tensor((2, 3, 4), "float32"),))


def _of_channels(d: Draw) -> Any:
    on = d.tensor((3, 4), "float32")
    return Call("", {"name": None, "channel_num": 3, "quant_on_weight": True}, (on,))


def _linear_quantiser(d: Draw) -> Any:
    axis, scales = d.chance.choice(((-1, [0.02]), (0, [0.02, 0.05, 0.1])))
    if "D" in d.function:
        on = d.before(Call("paddle.round", {"x": d.tensor((3, 4), "float32", -100.0, 100.0)}))
    else:
        on = d.tensor((3, 4), "float32")
    scale = scales if axis == 0 else scales[0]
    return Call("", {"scales": scale, "zero_point": 0.0, "quant_axis": axis}, (on,))


def _grown(d: Draw) -> Any:
    owner = d.before(Call("operator.mul", {"a": d.tensor((1,), "float32"), "b": 1.0}))
    return {"x": owner, "value": d.chance.choice((1.0, 2.5))}


def _vectors(d: Draw) -> Any:
    d.dtype = d.one_of({"float32": 3, "int64": 1})
    return {next(iter(d.parameters)): [d.tensor((d.count() + 1,)) for _ in range(2)]}


STRUCTURED: Mapping[str, Recipe] = {
    **dict.fromkeys(("tril_indices", "triu_indices"), _indices),
    **dict.fromkeys(("graph_reindex", "reindex_graph", "reindex_heter_graph"), _reindexed),
    "distribute_fpn_proposals": _distributed,
    "generate_proposals": _proposed,
    "psroi_pool": _of_positions,
    "yolo_loss": _of_yolo,
    "matrix_rank": _ranked,
    "viterbi_decode": _viterbi,
    "accuracy": accuracy,
    "increment": _grown,
    **dict.fromkeys(("meshgrid", "cartesian_prod"), _vectors),
    "as_complex": lambda d: {"x": d.tensor((*d.shape, 2), "float32")},
    **dict.fromkeys(("real", "imag"), lambda d: {"x": d.tensor(dtype="complex64")}),
    "logspace": lambda d: {
        "start": d.tensor((1,), "float32"),
        "stop": d.tensor((1,), "float32", 1.5, 3.0),
        "num": d.count() + 1,
        "base": d.chance.choice((2.0, 10.0)),
    },
    "clip_by_norm": lambda d: {"x": d.tensor((3, 4), "float32"), "max_norm": d.count() / 2},
    **dict.fromkeys(("FakeQuantAbsMax", "FakeQuantMovingAverageAbsMax", "QuantStub"), _quantiser),
    "MovingAverageAbsMaxScale": lambda d: Call("", {"name": None}, (d.tensor((3,), "float32"),)),
    "FakeQuantChannelWiseAbsMax": _of_channels,
    "FakeQuanterWithAbsMaxObserverLayer": lambda d: Call(
        "", {"layer": None, "bit_length": 8}, (d.tensor((2, 3), "float32"),)
    ),
    **dict.fromkeys(("LinearQuanter", "LinearDequanter"), _linear_quantiser),
    "weight_quantize": lambda d: {
        "x": d.tensor((64, 64), "float16"),
        "algo": "weight_only_int8",
        "arch": 80,
    },
    "unzip": lambda d: {
        "input": d.tensor((5,), "float32"),
        "lod": {"zeros": [3, "int64"]},
        "len": 2,
    },
}
