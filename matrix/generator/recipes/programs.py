"""Values for functions that only programs are made of: sequences first of all."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from matrix.generator.arguments import Draw
from matrix.generator.description import Call
from matrix.generator.recipes.by_name import Recipe

NN = "paddle.static.nn."
LAYERS = "paddle.incubate.layers."
MANY, LONG, WIDE = 3, 4, 6


def _sequences(d: Draw, *more: int, dtype: str = "float32", low: float | None = None) -> Any:
    """Sequences of several lengths: a padded input of the model without what pads it."""
    high = None if low is None else low + 5
    return _unpadded(d, d.tensor((MANY, LONG, *more), dtype, low, high))


def _unpadded(d: Draw, padded: Any) -> Any:
    lengths = d.tensor((MANY,), "int64", 1, LONG + 1)
    return d.before(Call(f"{NN}sequence_unpad", {"x": padded, "length": lengths}))


def _padded(d: Draw, dtype: str = "float32") -> None:
    """What comes of it is padded again: no array holds sequences."""
    d.then.append(
        Call(
            f"{NN}sequence_pad",
            {"x": {"result": len(d.calls)}, "pad_value": {"zeros": [1, dtype]}, "maxlen": 3 * LONG},
        )
    )


def _of_sequences(name: str, **arguments: Any) -> Recipe:
    """One argument takes sequences of rows, and sequences come of it."""

    def made(d: Draw) -> Any:
        taken = _sequences(d, WIDE)
        _padded(d)
        chosen = {key: d.chance.choice(one) for key, one in arguments.items()}
        return {name: taken, **chosen}

    return made


def _pooled(d: Draw) -> Any:
    kinds = ("sum", "average", "sqrt", "max", "first", "last")
    return {"input": _sequences(d, WIDE), "pool_type": d.chance.choice(kinds)}


def _softmax(d: Draw) -> Any:
    taken = _sequences(d, 1)
    _padded(d)
    return {"input": taken}


def _joined(d: Draw) -> Any:
    one, other = _sequences(d, WIDE), _sequences(d, WIDE)
    _padded(d)
    return {"input": [one, other]}


def _expanded(d: Draw) -> Any:
    return {"x": d.tensor((MANY, WIDE), "float32"), "y": _sequences(d, 2)}


def _expanded_as(d: Draw) -> Any:
    made = _expanded(d)
    _padded(d)
    return made


def _enumerated(d: Draw) -> Any:
    taken = _sequences(d, 1, dtype="int64", low=0)
    _padded(d, "int64")
    return {"input": taken, "win_size": d.chance.choice((2, 3)), "pad_value": 0}


def _padding(d: Draw) -> Any:
    return {"x": _sequences(d, WIDE), "pad_value": {"zeros": [1]}, "maxlen": LONG + d.count()}


def _unpadding(d: Draw) -> Any:
    padded = d.tensor((MANY, LONG, WIDE), "float32")
    _padded(d)
    return {"x": padded, "length": d.tensor((MANY,), "int64", 1, LONG + 1)}


def _scattered(d: Draw) -> Any:
    lengths = d.tensor((MANY,), "int64", 1, LONG + 1)
    places, updates = (
        d.before(
            Call(
                f"{NN}sequence_unpad", {"x": d.tensor((MANY, LONG), kind, 0, 5), "length": lengths}
            )
        )
        for kind in ("int64", "float32")
    )
    return {"input": d.tensor((MANY, WIDE), "float32"), "index": places, "updates": updates}


def _sliced(d: Draw) -> Any:
    taken = _sequences(d, WIDE)
    _padded(d)
    starts = d.tensor((MANY, 1), "int64", 0, 1)
    return {"input": taken, "offset": starts, "length": d.tensor((MANY, 1), "int64", 1, 2)}


def _looked_ahead(d: Draw) -> Any:
    return {"input": d.tensor((2, 5, 4), "float32"), "future_context_size": d.count()}


def _clicks(d: Draw) -> Any:
    use = d.maybe(0.5)
    shows = d.tensor((MANY, 2), "float32", 1.0, 4.0)
    return {"input": d.tensor((MANY, WIDE), "float32", 1.0, 4.0), "cvm": shows, "use_cvm": use}


def accuracy(d: Draw) -> Any:
    scores = d.tensor((4, 5), "float32", 0.0, 1.0)
    return {"input": scores, "label": d.tensor((4, 1), "int64", 0, 5), "k": d.chance.choice((1, 2))}


def _of_batches(d: Draw) -> Any:
    sizes = {"param_size": [2, 4, 5], "param_attr": None, "bias_size": [2, 5], "bias_attr": None}
    return {"input": d.tensor((2, 3, 4), "float32"), **sizes}


def _suppressed(d: Draw) -> Any:
    _padded(d)
    return {
        "bboxes": d.tensor((1, 6, 4), "float32", 0.0, 9.0),
        "scores": d.tensor((1, 2, 6), "float32", 0.0, 1.0),
        "score_threshold": 0.1,
        "nms_top_k": 4,
        "keep_top_k": 3,
        "normalized": d.maybe(0.5),
    }


def _children(d: Draw) -> Any:
    return {"x": d.tensor((3, 1), "int64", 0, 7), "node_nums": 7, "child_nums": 2}


def _correlated(d: Draw) -> Any:
    several = {"kernel_size": 1, "max_displacement": 4, "stride1": 1, "stride2": 1}
    one, other = (d.tensor((1, 2, 5, 5), "float32") for _ in range(2))
    return {"x": one, "y": other, "pad_size": 4, **several}


def _transposed(d: Draw) -> Any:
    groups = d.chance.choice((1, 4))
    made = {"num_filters": d.chance.choice((4, 8)), "filter_size": 3, "groups": groups}
    return {"input": d.tensor((2, 4, 5, 5), "float32"), **made, "stride": d.chance.choice((1, 2))}


def _array(d: Draw) -> Any:
    place = {"zeros": [1, "int64"]}
    made = {"x": d.tensor((2, 3), "float32"), "i": place}
    array = d.before(Call("paddle.tensor.array.array_write", made))
    return {"array": array, **({"i": place} if d.function == "array_read" else {})}


PROGRAMS: Mapping[str, Recipe] = {
    f"{NN}sequence_conv": _of_sequences("input", num_filters=(2, 4), filter_size=(2, 3)),
    f"{NN}sequence_reshape": _of_sequences("input", new_dim=(2, 3, 12)),
    f"{NN}sequence_reverse": _of_sequences("x"),
    f"{NN}sequence_pool": _pooled,
    f"{NN}sequence_first_step": lambda d: {"input": _sequences(d, WIDE)},
    f"{NN}sequence_last_step": lambda d: {"input": _sequences(d, WIDE)},
    f"{NN}sequence_softmax": _softmax,
    f"{NN}sequence_concat": _joined,
    f"{NN}sequence_expand": _expanded,
    f"{NN}sequence_expand_as": _expanded_as,
    f"{NN}sequence_enumerate": _enumerated,
    f"{NN}sequence_pad": _padding,
    f"{NN}sequence_unpad": _unpadding,
    f"{NN}sequence_scatter": _scattered,
    f"{NN}sequence_slice": _sliced,
    f"{NN}row_conv": _looked_ahead,
    f"{NN}continuous_value_model": _clicks,
    f"{NN}conv2d_transpose": _transposed,
    "paddle.static.accuracy": accuracy,
    f"{LAYERS}batch_fc": _of_batches,
    f"{LAYERS}multiclass_nms2": _suppressed,
    f"{LAYERS}tdm_child": _children,
    f"{LAYERS}correlation": _correlated,
    "paddle.tensor.array.array_read": _array,
    "paddle.tensor.array.array_length": _array,
}
