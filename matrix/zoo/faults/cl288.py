"""Weights that are reshaped, products that are reshaped in turn, and values of many axes."""

from __future__ import annotations

from typing import Any

import paddle
from paddle import nn
from paddle.nn import functional as F  # noqa: N812 (Paddle's own custom)

from matrix.network import Input
from matrix.zoo.registry import Family

family = Family("onednn")
_VALUES = Input((None, 4, 6))


class Projected(nn.Layer):
    """A weight that is stored by heads, a layer, and a function of them."""

    def __init__(self, compute: Any) -> None:
        super().__init__()
        self.linear = nn.Linear(6, 6)
        self.heads = self.create_parameter([6, 2, 3])
        self.bias = self.create_parameter([6], is_bias=True)
        self.compute = paddle.jit.not_to_static(compute)

    def rows(self, x: Any) -> Any:
        return paddle.matmul(paddle.reshape(x, [-1, 6]), paddle.reshape(self.heads, [6, 6]))

    def forward(self, x: Any) -> Any:
        return self.compute(self, x)


def _windows(x: Any) -> Any:
    """As volumes are cut into windows."""
    cut = paddle.reshape(x, [-1, 2, 2, 1, 1, 2, 3, 1])
    return paddle.reshape(paddle.transpose(cut, [0, 1, 3, 5, 2, 4, 6, 7]), [-1, 4, 6])


for name, compute in {
    "projected_by_heads": lambda net, x: paddle.reshape(net.rows(x), [-1, 4, 6]) + net.bias,
    "projected_by_heads_and_relu": lambda net, x: F.relu(
        paddle.reshape(net.rows(x), [-1, 4, 6]) + net.bias
    ),
    "projected_by_heads_and_bias": lambda net, x: paddle.reshape(
        net.rows(x) + net.bias, [-1, 4, 6]
    ),
    "projected_without_bias": lambda net, x: paddle.reshape(net.rows(x), [-1, 4, 6]) * 2.0,
    "windows_of_volumes": lambda net, x: net.linear(F.gelu(_windows(net.linear(x)))),
    "seven_axes": lambda net, x: paddle.mean(
        paddle.reshape(net.linear(x), [-1, 4, 1, 2, 1, 3, 1]) * 2.0, [3, 5]
    ),
    "six_axes": lambda net, x: paddle.mean(
        paddle.reshape(net.linear(x), [-1, 4, 1, 2, 1, 3]) * 2.0, [3, 5]
    ),
    "norm_of_six_axes": lambda net, x: F.layer_norm(
        paddle.reshape(net.linear(x), [-1, 4, 1, 2, 1, 3]), [3]
    ),
    "norm_of_five_axes": lambda net, x: F.layer_norm(
        paddle.reshape(net.linear(x), [-1, 4, 1, 2, 3]), [3]
    ),
}.items():
    family.layer(name, lambda compute=compute: Projected(compute), _VALUES)
