"""Channels last, and what reads axes after it."""

import paddle
from paddle import nn

from matrix.zoo.registry import IMAGE, Family

family = Family("onednn")


class _Last(nn.Layer):
    """A convolution with channels last, and what is computed of it."""

    def __init__(self, compute):
        super().__init__()
        self.compute = compute
        self.convolution = nn.Conv2D(6, 4, 3, data_format="NHWC")

    def forward(self, x):
        return self.compute(self.convolution(x))


family.layer("last_joined", lambda: _Last(lambda y: paddle.concat([y, y * 2.0], -1)), IMAGE)
family.layer("last_normalised", lambda: _Last(nn.Softmax(-1)), IMAGE)
