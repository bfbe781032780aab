"""Differences of squares of matrix products, of two axes and of more."""

from __future__ import annotations

import paddle

from matrix.network import Input
from matrix.zoo.layers import Forked
from matrix.zoo.registry import Family

family = Family("onednn")


def _first(net, x):
    return paddle.full([1], 0.7) * _difference(x)


def _last(net, x):
    return _difference(x) * paddle.full([1], 0.7)


def _difference(x):
    y, square = paddle.tanh(x), paddle.square
    return square(paddle.matmul(x, y)) - paddle.matmul(square(x), square(y))


for axes, sizes in ((2, (4, 4)), (3, (2, 4, 4)), (4, (2, 2, 4, 4))):
    for compute in (_first, _last):
        family.layer(
            f"difference_of_squares_of_{axes}_axes{compute.__name__}",
            lambda compute=compute: Forked(compute),
            Input(sizes),
        )
