"""Products with heads that are reshaped, transposed and the same for every batch."""

from __future__ import annotations

import paddle

from matrix.zoo.layers import Forked
from matrix.zoo.registry import SEQUENCE, Family

family = Family("fusion")


def _heads(x: paddle.Tensor) -> paddle.Tensor:
    return x.reshape([0, -1, 2, 3]).transpose([0, 2, 1, 3])


def _positions(net: Forked, x: paddle.Tensor) -> paddle.Tensor:
    return net.linear(x.mean(0)).reshape([-1, 2, 3]).transpose([1, 0, 2])


def _in_three_axes(net: Forked, x: paddle.Tensor) -> paddle.Tensor:
    return paddle.matmul(net.linear(x).transpose([0, 2, 1]), _positions(net, x)[:1])


for name, compute in {
    "positions_for_every_batch": lambda net, x: paddle.matmul(
        _heads(x), _positions(net, x), transpose_y=True
    ),
    "heads_before_every_batch": lambda net, x: paddle.matmul(
        _positions(net, x), _heads(x), transpose_y=True
    ),
    "positions_in_three_axes": _in_three_axes,
}.items():
    family.layer(name, lambda compute=compute: Forked(compute), SEQUENCE)
