"""Transposed convolutions whose size is counted where the program runs."""

from __future__ import annotations

from typing import Any

import paddle
from paddle import nn

from matrix.network import Input
from matrix.zoo.registry import Family

family = Family("sized_transposed_convolution")
_IMAGES = Input((None, 4, None, None))
_SHAPES = [[(1, 4, 6, 6)], [(3, 4, 6, 8)]]


class Sized(nn.Layer):
    def __init__(self, convolution: Any, factor: int = 2) -> None:
        super().__init__()
        self.convolution = convolution
        self.factor = factor

    def forward(self, x: Any) -> Any:
        return self.convolution(x, output_size=paddle.shape(x)[2:] * self.factor)


for _name, _build in {
    "with_bias": lambda: Sized(nn.Conv2DTranspose(4, 2, 3, 2, 1)),
    "without_bias": lambda: Sized(nn.Conv2DTranspose(4, 2, 3, 2, 1, bias_attr=False)),
    "with_bias_by_channel": lambda: Sized(nn.Conv2DTranspose(4, 4, 3, 2, 1, groups=4)),
}.items():
    family.layer(f"sized_transposed_{_name}", _build, _IMAGES, shapes=_SHAPES)
