"""A fully connected layer that is applied twice."""

from __future__ import annotations

from typing import Any

import paddle
from paddle.nn import functional as F  # noqa: N812 (Paddle's own custom)

from matrix.network import Input
from matrix.zoo.layers import Forked, Read
from matrix.zoo.registry import ROWS, Family

family = Family("fusion")

for name, compute in {
    "layer_twice_and_relu": lambda net, x: (net.linear(x), F.relu(net.linear(x))),
    "layer_twice_and_tanh": lambda net, x: net.linear(x) * F.tanh(net.linear(x)),
    "weight_twice_and_biases": lambda net, x: (
        net.linear(x),
        F.linear(x, net.linear.weight, net.linear.bias * 2.0),
        paddle.matmul(x, net.linear.weight),
    ),
    "layer_twice_scaled": lambda net, x: (net.linear(x) * 2.0, net.linear(x)),
    "layer_twice_sloping": lambda net, x: (
        F.leaky_relu(net.linear(x), 0.1) * F.leaky_relu(net.linear(x), 0.5)
    ),
    "layer_twice_and_addend": lambda net, x: (
        net.linear(x) + paddle.sin(x),
        F.tanh(net.linear(x)),
    ),
    "layer_thrice": lambda net, x: (
        net.linear(x),
        F.relu(net.linear(x)),
        F.sigmoid(net.linear(x)),
    ),
    "layer_twice_alike": lambda net, x: F.relu(net.linear(x)) + F.relu(net.linear(x)),
    "layer_of_two_values": lambda net, x: (net.linear(x), F.relu(net.linear(x * 2.0))),
}.items():
    family.layer(name, lambda compute=compute: Forked(compute), ROWS)


class Codes(Read):
    """The distance of each place of an image to some codes, as vector quantisation has it."""

    def __init__(self) -> None:
        super().__init__(lambda net, x: net.distances(net.convolution(x)))

    def distances(self, x: Any) -> Any:
        codes = self.linear.weight
        square = paddle.sum(paddle.pow(x, 2.0), -1, keepdim=True)
        return square - 2.0 * paddle.matmul(x, codes) + paddle.sum(paddle.pow(codes, 2.0), 0)


family.layer("distances_to_codes", Codes, Input((None, 3, 6, 6)))
