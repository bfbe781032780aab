"""Calls of one tensor of any dtype: Paddle's functions that need nothing else, and others as they
are commonly called, for three rows of four. Whatever a release or a dtype has not got raises, and
is left out."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

import paddle

Call = Callable[[Any], Any]

_MODULES = ("paddle", "paddle.nn.functional", "paddle.linalg", "paddle.fft")
# They draw numbers, or change the process.
_DRAWN = (
    "bernoulli",
    "binomial",
    "cauchy",
    "dropout",
    "empty",
    "exponential",
    "geometric",
    "gumbel",
)
_DRAWN += ("log_normal", "multinomial", "normal", "poisson", "rand", "rrelu", "standard", "uniform")
_PROCESS = ("set_", "enable_", "disable_", "save", "seed", "tolist", "to_dlpack")
_NOT_MEANT = (
    *_DRAWN,
    *_PROCESS,
    "_",
    "alpha_dropout",
    "feature_alpha",
    "class_center",
    "pca",
    "svd_",
)


def calls(*, common: bool) -> dict[str, Call]:
    """By name, those of one argument; and the common ones."""
    return {**_of_one_argument(), **(COMMON if common else {})}


def _of_one_argument() -> dict[str, Call]:
    found = {}
    for path in _MODULES:
        module: Any = paddle
        for part in path.split(".")[1:]:
            module = getattr(module, part)
        for name in dir(module):
            one = getattr(module, name)
            if name.startswith(_NOT_MEANT) or name.endswith("_") or inspect.isclass(one):
                continue
            if callable(one):
                found[f"{path}.{name}"] = one
    return found


def _first(x):
    return paddle.to_tensor([0, 2])


def _turned(x):
    return paddle.flip(x, [0])


def _assigned(place: Any, value: Callable[[Any], Any]) -> Call:
    def call(x):
        y = x.clone()
        y[place] = value(x)
        return y

    return call


COMMON: Mapping[str, Call] = {
    "argsort stable": lambda x: paddle.argsort(x, axis=0, stable=True),
    "argsort stable descending": lambda x: paddle.argsort(x, 1, descending=True, stable=True),
    "assign number": _assigned(0, lambda x: 1),
    "assign column": _assigned((slice(None), 1), lambda x: x[:, 0]),
    "bincount": lambda x: paddle.bincount(x.flatten()),
    "bucketize": lambda x: paddle.bucketize(x, paddle.to_tensor([-0.5, 0.0, 0.5])),
    "clip": lambda x: paddle.clip(x, -1, 2),
    "clip below": lambda x: paddle.clip(x, 0, None),
    "compare": lambda x: (x == _turned(x), x != _turned(x), x < _turned(x)),
    "concat": lambda x: paddle.concat([x, x], 1),
    "copysign": lambda x: paddle.copysign(x, _turned(x)),
    "cross": lambda x: paddle.cross(x, _turned(x), axis=0),
    "cummax": lambda x: paddle.cummax(x, axis=1),
    "cumprod": lambda x: paddle.cumprod(x, dim=1),
    "cumsum": lambda x: paddle.cumsum(x, axis=1),
    "diag": lambda x: paddle.diag(x[0]),
    "divide": lambda x: (x / (x + x + x), 1 / (x + 2)),
    "einsum": lambda x: paddle.einsum("ij,kj->ik", x, x),
    "embedding": lambda x: paddle.nn.functional.embedding(x, paddle.ones([6, 2])),
    "expand": lambda x: paddle.expand(x.unsqueeze(0), [2, 3, 4]),
    "floor divide": lambda x: x // 2,
    "gather": lambda x: paddle.gather(x, _first(x), axis=0),
    "gather columns": lambda x: paddle.gather(x, _first(x), axis=1),
    "heaviside": lambda x: paddle.heaviside(x, _turned(x)),
    "histogram": lambda x: paddle.histogram(x, bins=4, min=-1, max=1),
    "index_add": lambda x: paddle.index_add(x, _first(x), 0, x[1:3]),
    "index_fill": lambda x: paddle.index_fill(x, _first(x), 0, 1),
    "kron": lambda x: paddle.kron(x, x),
    "kthvalue": lambda x: paddle.kthvalue(x, 2, axis=1)[0],
    "lerp": lambda x: paddle.lerp(x, _turned(x), 0.3),
    "list of places": lambda x: x[[0, 2]],
    "logcumsumexp": lambda x: paddle.logcumsumexp(x, axis=1),
    "masked_fill": lambda x: paddle.masked_fill(x, x == _turned(x), 1),
    "masked_select": lambda x: x[x == _turned(x)],
    "matmul": lambda x: paddle.matmul(x, _turned(x), transpose_y=True),
    "maximum": lambda x: (paddle.maximum(x, _turned(x)), paddle.minimum(x, _turned(x))),
    "median": lambda x: paddle.median(x, axis=1),
    "meshgrid": lambda x: paddle.meshgrid(x[0], x[1])[1],
    "mode": lambda x: paddle.mode(x)[0],
    "norm 1": lambda x: paddle.linalg.norm(x, p=1, axis=1),
    "norm inf": lambda x: paddle.linalg.norm(x, p=float("inf"), axis=1),
    "one_hot": lambda x: paddle.nn.functional.one_hot(x[0], 6),
    "outer": lambda x: paddle.outer(x[0], x[1]),
    "pad": lambda x: paddle.nn.functional.pad(x, [1, 1], value=2),
    "power": lambda x: (x**2, paddle.pow(x, 3), x**x),
    "prod": lambda x: paddle.prod(x, axis=1),
    "put_along_axis": lambda x: paddle.put_along_axis(
        x, paddle.zeros([3, 1], "int64"), x[:, :1] + x[:, 1:2], 1
    ),
    "quantile": lambda x: paddle.quantile(x, 0.3, axis=1),
    "remainder": lambda x: (x % 2, paddle.mod(x, x + 1)),
    "repeat_interleave": lambda x: paddle.repeat_interleave(x, 2, axis=1),
    "roll": lambda x: paddle.roll(x, 1, 0),
    "round to tenths": lambda x: paddle.round(x, 1),
    "scatter": lambda x: paddle.scatter(x, _first(x), x[1:3]),
    "shift": lambda x: paddle.bitwise_left_shift(x, paddle.ones_like(x)),
    "slices": lambda x: (x[::-1, ::2], x[None, ..., 1]),
    "solve": lambda x: paddle.linalg.solve(x[:3, :3], x[:, 3:]),
    "split": lambda x: paddle.split(x, 2, axis=1),
    "stack": lambda x: paddle.stack([x, x]),
    "std": lambda x: paddle.std(x, axis=1),
    "sums": lambda x: (x + x, x - _turned(x), 2 + x, 1 - x),
    "take_along_axis": lambda x: paddle.take_along_axis(x, paddle.zeros([3, 1], "int64"), 1),
    "tile": lambda x: paddle.tile(x, [2, 1]),
    "topk": lambda x: paddle.topk(x, 2, axis=0)[0],
    "where": lambda x: paddle.where(x == _turned(x), x, x + x),
}
