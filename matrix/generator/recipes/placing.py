"""Values for functions that move, choose and join what is there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from matrix.generator.arguments import Draw
from matrix.generator.description import Call
from matrix.generator.recipes.by_name import Recipe, other, several


def _one_hot(d: Draw) -> Any:
    return {"x": d.indices(d.shape, 4), "num_classes": d.chance.choice((4, 5, 9))}


def _gathered(d: Draw) -> Any:
    d.shape = d.shape or (3,)
    axis = d.axis()
    return {
        "x": d.tensor(),
        "index": d.indices(None, d.shape[axis] or 1),
        "axis": axis if d.maybe(0.7) else 0,
    }


def _along(d: Draw) -> Any:
    d.shape = d.shape or (3,)
    axis = d.axis()
    made: dict[str, Any] = {"arr": d.tensor(), "indices": d.indices(d.shape, d.shape[axis] or 1)}
    if d.function.startswith("put"):
        made |= {
            "values": d.tensor(),
            "axis": axis,
            "reduce": d.chance.choice(("assign", "add", "mul")),
        }
    return {**made, "axis": axis}


def _gather_nd(d: Draw) -> Any:
    d.shape = d.shape or (3,)
    return {"x": d.tensor(), "index": d.indices((2, d.chance.randint(1, d.rank)))}


def _scatter(d: Draw) -> Any:
    d.shape = d.shape or (3,)
    many = d.count()
    updates = d.tensor((many, *d.shape[1:]))
    return {
        "x": d.tensor(),
        "index": d.indices((many,), d.shape[0] or 1),
        "updates": updates,
        "overwrite": d.maybe(0.5),
    }


def _scatter_nd_add(d: Draw) -> Any:
    d.shape = d.shape or (3,)
    return {
        "x": d.tensor(),
        "index": d.indices((2, 1), d.shape[0] or 1),
        "updates": d.tensor((2, *d.shape[1:])),
    }


def _index_put(d: Draw) -> Any:
    d.shape = d.shape or (3,)
    this = "x"
    return {
        this: d.tensor(),
        "indices": {"tuple": [d.indices((2,), d.shape[0] or 1)]},
        "value": d.tensor((2, *d.shape[1:])),
        "accumulate": d.maybe(0.5),
    }


def _index_add(d: Draw) -> Any:
    d.shape = d.shape or (3,)
    axis = d.axis()
    shape = list(d.shape)
    shape[axis] = 2
    made = {"x": d.tensor(), "index": d.indices((2,), d.shape[axis] or 1), "axis": axis}
    return made | (
        {"value": d.tensor(tuple(shape))}
        if "add" in d.function
        else {"value": d.number()}
        if "fill" in d.function
        else {}
    )


def _bincount(d: Draw) -> Any:
    return {"x": d.indices((5,), 4), "minlength": d.chance.choice((0, 3, 6))}


def _pad(d: Draw) -> Any:
    axes = max(1, d.rank - 2) if d.maybe(0.6) else d.rank
    mode = d.chance.choice(("constant", "constant", "reflect", "replicate", "circular"))
    return {
        "x": d.tensor(),
        "pad": [d.chance.choice((0, 1, 2)) for _ in range(2 * axes)],
        "mode": mode,
        "value": d.chance.choice((0.0, 1.5)),
    }


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
        return {
            "slice": [d.chance.choice((None, 0, 1, -2)), d.chance.choice((None, 1, 2, -1, 9)), None]
        }
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


def _stacked(d: Draw) -> Any:
    return {
        "x": [d.tensor() for _ in range(d.count())],
        "axis": d.axis() if d.maybe(0.7) and d.function in ("concat", "stack") else None,
    }


def _einsum(d: Draw) -> Any:
    d.floats()
    sizes = {letter: d.count() for letter in "bijk"}
    equation = d.chance.choice(
        (
            "ij,jk->ik",
            "bij,bjk->bik",
            "...ij,jk->...ik",
            "i,j->ij",
            "ij,ij->",
            "...i->...",
            "bij->bji",
        )
    )
    on = []
    for operand in equation.partition("->")[0].split(","):
        more = (2,) if "..." in operand else ()
        on.append(d.tensor((*more, *(sizes[letter] for letter in operand.strip(".")))))
    return Call("", {"equation": equation}, tuple(on))


def _where(d: Draw) -> Any:
    return {"condition": d.tensor(dtype="bool"), "x": d.tensor(), "y": other(d)}


def _repeat(d: Draw) -> Any:
    d.shape = d.shape or (3,)
    axis = d.axis()
    repeats = (
        d.chance.choice((1, 2, 3)) if d.maybe(0.5) else d.tensor((d.shape[axis],), "int64", 0, 3)
    )
    return {"x": d.tensor(), "repeats": repeats, "axis": axis}


def _sorted(d: Draw) -> Any:
    return (
        {
            "sorted_sequence": {"weight": [5]} if d.maybe(0.2) else d.tensor((5,), low=0, high=1),
            "values": d.tensor(),
        }
        if d.function == "searchsorted"
        else {"x": d.tensor(), "sorted_sequence": d.tensor((5,), low=0, high=1)}
    )


def _sequence_mask(d: Draw) -> Any:
    return {
        "x": d.indices(d.shape, 4),
        "maxlen": d.chance.choice((4, 6)),
        "dtype": d.chance.choice(("int64", "float32", "bool")),
    }


def _topk(d: Draw) -> Any:
    d.shape = d.shape or (3,)
    return {
        "x": d.tensor(),
        "k": d.chance.choice((1, 2)),
        "axis": d.axis(),
        "largest": d.maybe(0.5),
    }


def _as_strided(d: Draw) -> Any:
    return {
        "x": d.tensor((4, 4)),
        "shape": [2, 3],
        "stride": [1, 2],
        "offset": d.chance.choice((0, 1)),
    }


def _clip(d: Draw) -> Any:
    return {
        "x": d.tensor(),
        "min": d.chance.choice((None, -0.5, 0, -1)),
        "max": d.chance.choice((None, 0.5, 1, 2.5)),
    }


PLACING: Mapping[str, Recipe] = {
    "one_hot": _one_hot,
    **dict.fromkeys(("gather", "index_select"), _gathered),
    **dict.fromkeys(("take_along_axis", "put_along_axis"), _along),
    "gather_nd": _gather_nd,
    "scatter": _scatter,
    "scatter_nd_add": _scatter_nd_add,
    "index_put": _index_put,
    **dict.fromkeys(("index_add", "index_fill"), _index_add),
    "bincount": _bincount,
    "pad": _pad,
    "getitem": _getitem,
    "setitem": _setitem,
    **dict.fromkeys(
        ("concat", "cat", "stack", "hstack", "vstack", "dstack", "column_stack", "row_stack"),
        _stacked,
    ),
    **dict.fromkeys(
        ("add_n", "broadcast_tensors"),
        lambda d: {("inputs" if d.function == "add_n" else "input"): several(d)},
    ),
    "multi_dot": lambda d: {
        "x": [d.tensor((2, 3), "float32"), d.tensor((3, 4), "float32"), d.tensor((4, 2), "float32")]
    },
    "einsum": _einsum,
    "where": _where,
    "repeat_interleave": _repeat,
    **dict.fromkeys(("searchsorted", "bucketize"), _sorted),
    "sequence_mask": _sequence_mask,
    "topk": _topk,
    "as_strided": _as_strided,
    "clip": _clip,
}
