"""Convolutions that are joined and activated."""

from typing import Any

import paddle
from paddle import nn
from paddle.nn import functional as F  # noqa: N812 (Paddle's own custom)

from matrix.network import Input
from matrix.zoo.registry import Family

family = Family("fusion")


class Branches(nn.Layer):
    """Convolutions with and without a bias, and a function of them and an image."""

    def __init__(self, compute: Any) -> None:
        super().__init__()
        self.first, self.second = nn.Conv2D(4, 4, 1), nn.Conv2D(4, 4, 3, padding=1)
        self.bare = nn.Conv2D(4, 4, 1, bias_attr=False)
        self.other = nn.Conv2D(4, 4, 3, padding=1, bias_attr=False)
        self.compute = paddle.jit.not_to_static(compute)

    def forward(self, x: Any) -> Any:
        return self.compute(self, x)


def _read_elsewhere(net: Any, x: Any) -> Any:
    y = net.bare(x)
    return F.relu(paddle.concat([y, net.other(x)], 1)), y * 2.0


def _read_by_the_next(net: Any, x: Any) -> Any:
    y = net.bare(x)
    return F.relu(paddle.concat([y, net.other(y)], 1))


for name, compute in {
    "joined_convolutions_relu": lambda net, x: F.relu(
        paddle.concat([net.first(x), net.second(x)], 1)
    ),
    "joined_bare_convolutions_relu": lambda net, x: F.relu(
        paddle.concat([net.bare(x), net.other(x)], 1)
    ),
    "joined_active_convolutions_sigmoid": lambda net, x: F.sigmoid(
        paddle.concat([F.relu(net.first(x)), F.relu(net.second(x))], 1)
    ),
    "joined_half_active_convolutions": lambda net, x: F.sigmoid(
        paddle.concat([F.relu(net.bare(x)), net.other(x)], 1)
    ),
    "joined_residual_convolutions": lambda net, x: F.relu(
        paddle.concat([net.first(x) + x, net.second(x) + x], 1)
    ),
    "joined_convolutions_read_elsewhere": _read_elsewhere,
    "joined_convolutions_read_by_the_next": _read_by_the_next,
    "convolution_plus_first": lambda net, x: F.relu(net.first(x) + net.second(x[:1])),
}.items():
    family.layer(name, lambda compute=compute: Branches(compute), Input((None, 4, 6, 6)))
