"""Layers that compute gradients of gradients: residuals of physics-informed networks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import paddle
from paddle import nn
from paddle.nn import functional as F  # noqa: N812 (Paddle's own custom)

from matrix.zoo.registry import ROWS, Family

family = Family("second_gradients")


class Bends(nn.Layer):
    """``compute`` of an input, how fast that changes, and how fast the change does."""

    def __init__(self, compute: Callable[..., Any]) -> None:
        super().__init__()
        self.linear, self.other = nn.Linear(6, 4), nn.Linear(6, 4)
        self.compute = paddle.jit.not_to_static(compute)

    def forward(self, x: Any) -> Any:
        with paddle.enable_grad():
            x = x * 1.0
            x.stop_gradient = False
            y = self.compute(self, x)
            (slope,) = paddle.grad(y.sum(), x, create_graph=True)
            (bend,) = paddle.grad(slope.sum(), x)
        return y, slope, bend


for name, compute in {
    "bend_of_tanh": lambda net, x: paddle.tanh(net.linear(x)),
    "bend_of_sin": lambda net, x: paddle.sin(net.linear(x)),
    "bend_of_cos": lambda net, x: paddle.cos(net.linear(x)),
    "bend_of_sigmoid": lambda net, x: F.sigmoid(net.linear(x)),
    "bend_of_swish": lambda net, x: net.other(x) * F.sigmoid(net.linear(x)),
    "bend_of_softplus": lambda net, x: F.softplus(net.linear(x)),
    "bend_of_elu": lambda net, x: F.elu(net.linear(x), 0.7),
    "bend_of_celu": lambda net, x: F.celu(net.linear(x), 0.7),
    "bend_of_square": lambda net, x: paddle.square(net.linear(x)),
    "bend_of_cube": lambda net, x: paddle.pow(net.linear(x), 3.0),
    "bend_of_root": lambda net, x: paddle.sqrt(paddle.square(net.linear(x)) + 1.0),
    "bend_of_reciprocal_root": lambda net, x: paddle.rsqrt(paddle.square(net.linear(x)) + 1.0),
    "bend_of_logarithm": lambda net, x: paddle.log(paddle.square(net.linear(x)) + 1.0),
    "bend_of_size": lambda net, x: paddle.abs(net.linear(x)) * net.other(x),
    "bend_of_quotient": lambda net, x: net.linear(x) / (paddle.square(net.other(x)) + 2.0),
    "bend_of_difference": lambda net, x: paddle.square(paddle.sin(net.linear(x)) - net.other(x)),
    "bend_of_spread_product": lambda net, x: paddle.sin(net.linear(x)) * net.other(x)[:, :1],
    "bend_of_matrix_product": lambda net, x: paddle.matmul(net.linear(x), net.other(x).t()),
    "bend_of_leaky_relu": lambda net, x: F.leaky_relu(net.linear(x), 0.2) * net.other(x),
}.items():
    family.layer(name, lambda compute=compute: Bends(compute), ROWS)
