"""A fully connected layer that is applied twice."""

from __future__ import annotations

import paddle
from paddle.nn import functional as F  # noqa: N812 (Paddle's own custom)

from matrix.zoo.layers import Forked
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
    "layer_twice_alike": lambda net, x: F.relu(net.linear(x)) + F.relu(net.linear(x)),
    "layer_of_two_values": lambda net, x: (net.linear(x), F.relu(net.linear(x * 2.0))),
}.items():
    family.layer(name, lambda compute=compute: Forked(compute), ROWS)
