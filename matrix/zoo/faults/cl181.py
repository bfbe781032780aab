"""Convolutions in bfloat16, of numbers that it holds without a loss, and what reads them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import paddle
from paddle import nn
from paddle.nn import functional

from matrix.zoo.registry import IMAGE, Family

family = Family("fusion")

HALF = nn.initializer.Constant(0.5)


def half(value: Any, kind: str = "bfloat16") -> Any:
    """Eagerly a CPU computes it in float32: it lacks kernels, of convolutions among others."""
    return value.astype("float32" if paddle.in_dynamic_mode() else kind)


class Convolved(nn.Layer):
    def __init__(self, made: Callable[..., nn.Layer], of: Any, then: Any = None) -> None:
        super().__init__()
        self.convolution = made(3, 4, 2, weight_attr=HALF)
        self.of, self.then = of, then

    def forward(self, x: Any) -> Any:
        weight = half(self.convolution.weight)
        y = self.of(half(paddle.floor(x * 2.0)), weight)
        if self.then is not None:
            y = self.then(y)
        return y.astype("float32")


def network(name: str, made: Callable[..., nn.Layer], of: Any, then: Any = None) -> None:
    family.layer(f"{name}_in_bfloat16", lambda: Convolved(made, of, then), IMAGE, seeded=False)


def of_lines(x: Any, weight: Any) -> Any:
    return functional.conv1d(x[:, :, 0], weight)


def joined(y: Any) -> Any:
    return paddle.concat([y, y], 1)


network("convolution_summed", nn.Conv2D, functional.conv2d, lambda y: y.sum(-1))
network("convolution_activated", nn.Conv2D, functional.conv2d, functional.relu)
network("convolution_joined", nn.Conv2D, functional.conv2d, joined)
network("convolution_flattened", nn.Conv2D, functional.conv2d, lambda y: y.flatten(1))
network("convolution_of_lines", nn.Conv1D, of_lines)
network("transposed_convolution", nn.Conv2DTranspose, functional.conv2d_transpose)
