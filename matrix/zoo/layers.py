"""Layers that the networks of several faults are made of."""

from typing import Any

import paddle
from paddle import nn


class Read(nn.Layer):
    """Layers, and a function of them and an image that reads some value once more."""

    def __init__(self, compute: Any) -> None:
        super().__init__()
        self.convolution = nn.Conv2D(3, 4, 1)
        self.norm = nn.BatchNorm2D(3)
        self.linear = nn.Linear(6, 6)
        self.heads = nn.Linear(6, 24)
        self.compute = paddle.jit.not_to_static(compute)

    def forward(self, x: Any) -> Any:
        return self.compute(self, x)


class Forked(nn.Layer):
    """A layer and a weight, and a function of them and of an input."""

    def __init__(self, compute: Any) -> None:
        super().__init__()
        self.linear = nn.Linear(6, 6)
        self.convolution = nn.Conv2D(3, 4, 1)
        self.compute = paddle.jit.not_to_static(compute)

    def forward(self, x: Any) -> Any:
        return self.compute(self, x)

    def product(self, x: Any) -> Any:
        return paddle.matmul(x, self.linear.weight)
