"""What a run finds no rows of, and what is computed of those."""

from __future__ import annotations

from functools import partial
from typing import Any

import paddle
from paddle import nn
from paddle.nn import functional

from matrix.zoo.layers import found
from matrix.zoo.registry import Family

family = Family("buffer_without_elements")
_add = partial(found, family, since="3.1")


def _pairs(_: Any, rows: Any) -> Any:
    first = paddle.maximum(rows[:, None, :2], rows[None, :, :2])
    last = paddle.minimum(rows[:, None, 2:], rows[None, :, 2:])
    sizes = (last - first).clip(0.0)
    return sizes[:, :, 0] * sizes[:, :, 1]


def _attended(part: Any, rows: Any) -> Any:
    weights = functional.softmax(paddle.matmul(part(rows), rows, transpose_y=True) / 2.0)
    return paddle.matmul(weights, rows)


def _best(_: Any, rows: Any) -> Any:
    return (*paddle.topk(rows, 2, 1), rows.max(1), rows.argmax(1), rows.min(1), rows.cummax(1)[0])


def _losses(_: Any, rows: Any) -> Any:
    labels = paddle.zeros_like(rows[:, :1]).astype("int64")
    return functional.cross_entropy(rows, labels, reduction="none"), paddle.logsumexp(rows, 1)


def _layers() -> nn.Layer:
    return nn.Sequential(nn.Linear(6, 6), nn.ReLU(), nn.Linear(6, 4))


def _stage() -> nn.Layer:
    return nn.Sequential(nn.Conv2D(4, 4, 3, padding=1), nn.ReLU())


_add("layers", lambda part, rows: part(rows), (6,), _layers)
_add("attention", _attended, (5, 6), lambda: nn.Linear(6, 6))
_add("stage", lambda part, rows: part(rows), (4, 6, 6), _stage)
_add("norms", lambda part, rows: part(rows), (4, 6, 6), lambda: nn.InstanceNorm2D(4))
_add("enlarged", lambda _, rows: functional.interpolate(rows, scale_factor=2), (4, 6, 6))
_add(
    "normalised",
    lambda _, rows: (functional.normalize(rows, axis=1), rows.std(1), rows.norm(p=2, axis=1)),
    (6,),
)
_add("averages", lambda _, rows: (rows.mean(-1), rows.prod(-1), (rows > 0).any(-1)), (3, 6))
_add("best", _best, (6,))
_add("pairs", _pairs, (4,))
_add("differences", lambda _, rows: (rows - rows.mean(1, keepdim=True)) / (rows[:, :1] + 3.0), (6,))
_add(
    "joined",
    lambda _, rows: (paddle.concat([rows, rows * 2], 1), paddle.stack([rows, -rows], 1)),
    (6,),
)
_add("sums", lambda _, rows: (rows.sum(), rows.sum(1), (rows > 0).any()), (6,))
_add(
    "matrices",
    lambda _, rows: (
        paddle.linalg.svd(rows)[1],
        paddle.linalg.eigvalsh(rows @ rows.transpose([0, 2, 1])),
    ),
    (3, 3),
)
_add("losses", _losses, (6,))
_add(
    "taken",
    lambda _, rows: (
        paddle.take_along_axis(rows, rows.argsort(1)[:, :2], 1),
        paddle.gather(rows, paddle.to_tensor([0, 2]), axis=1),
    ),
    (6,),
)
_add("mixed", lambda _, rows: paddle.lerp(rows, rows * 2.0, paddle.full_like(rows, 0.25)), (6,))
