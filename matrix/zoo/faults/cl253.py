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


class _Before(_Last):
    """What is computed of the input, and a convolution of it."""

    def forward(self, x):
        return self.convolution(self.compute(x))


class _Pooled(_Last):
    def forward(self, x):
        return nn.functional.max_pool2d(self.compute(x), 2, data_format="NHWC")


family.layer("last_joined", lambda: _Last(lambda y: paddle.concat([y, y * 2.0], -1)), IMAGE)
family.layer("last_normalised", lambda: _Last(nn.Softmax(-1)), IMAGE)
family.layer("last_behind_activation", lambda: _Before(nn.ReLU()), IMAGE)
family.layer("last_behind_scale", lambda: _Before(lambda x: x * 0.5), IMAGE)
family.layer("last_pooled_behind_activation", lambda: _Pooled(nn.Tanh()), IMAGE)
family.layer("last_activated", lambda: _Last(nn.GELU()), IMAGE)
family.layer("last_averaged", lambda: _Last(lambda y: y * y.mean(-1, keepdim=True)), IMAGE)
family.layer("last_alone", lambda: _Last(lambda y: y), IMAGE)
