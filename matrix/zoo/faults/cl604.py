"""Attention without a projection at its end: heads joined, and the residual added."""

from __future__ import annotations

import paddle

from matrix.zoo.layers import Forked
from matrix.zoo.registry import SEQUENCE, Family

family = Family("fusion")


def _heads(x: paddle.Tensor) -> paddle.Tensor:
    return x.reshape([0, -1, 2, 3]).transpose([0, 2, 1, 3])


def _joined(heads: paddle.Tensor) -> paddle.Tensor:
    return heads.transpose([0, 2, 1, 3]).reshape([0, -1, 6])


def _attended(x: paddle.Tensor) -> paddle.Tensor:
    scores = paddle.matmul(_heads(x), _heads(x), transpose_y=True)
    return paddle.matmul(paddle.nn.functional.softmax(scores), _heads(x))


for name, compute in {
    "attention_without_projection": lambda net, x: net.linear(x + _joined(_attended(x))),
    "attention_beside_layer": lambda net, x: paddle.exp(_joined(_attended(x)) + net.linear(x)),
    "attention_with_projection": lambda net, x: x + net.linear(_joined(_attended(x))),
}.items():
    family.layer(name, lambda compute=compute: Forked(compute), SEQUENCE)
