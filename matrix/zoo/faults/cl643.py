"""A linear layer that is applied twice to one value."""

from __future__ import annotations

from typing import Any

import paddle
from paddle import nn
from paddle.nn import functional as F  # noqa: N812 (Paddle's own custom)

from matrix.zoo.registry import ROWS, Family

family = Family("fusion")


class Layers(nn.Layer):
    """Two layers, and a function of them."""

    def __init__(self, compute: Any) -> None:
        super().__init__()
        self.layer, self.other = nn.Linear(6, 6), nn.Linear(6, 6)
        self.compute = paddle.jit.not_to_static(compute)

    def forward(self, x: Any) -> Any:
        return self.compute(self.layer, self.other, x)


for name, compute in {
    "layer_again": lambda layer, other, x: (layer(x), paddle.tanh(layer(x))),
    "layer_again_alike": lambda layer, other, x: paddle.tanh(layer(x)) * paddle.tanh(layer(x)),
    "layer_again_activated": lambda layer, other, x: F.sigmoid(layer(x)) * F.relu(layer(x)),
    "layer_again_sloping": lambda layer, other, x: (
        F.leaky_relu(layer(x), 0.1),
        F.leaky_relu(layer(x), 0.5),
    ),
    "layer_again_scaled": lambda layer, other, x: (layer(x) * 2.0, layer(x)),
    "layer_again_added": lambda layer, other, x: (
        layer(x) + other(x * 2.0),
        paddle.tanh(layer(x)),
    ),
    "layer_again_unlike_biases": lambda layer, other, x: (
        paddle.tanh(paddle.matmul(x, layer.weight) + layer.bias),
        paddle.matmul(x, layer.weight) + other.bias,
    ),
    "layer_again_and_again": lambda layer, other, x: (
        layer(x),
        F.relu(layer(x)),
        F.sigmoid(layer(x)),
    ),
    "layer_again_of_another_value": lambda layer, other, x: (layer(x), F.relu(layer(x * 2.0))),
}.items():
    family.layer(name, lambda compute=compute: Layers(compute), ROWS)
