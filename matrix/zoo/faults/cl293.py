"""Filters that several convolutions share, with normalisations of their own."""

from __future__ import annotations

from typing import Any

import paddle
from paddle import nn
from paddle.nn import functional as F  # noqa: N812 (Paddle's own custom)

from matrix.zoo.registry import IMAGE, Family

family = Family("fusion")


class Shared(nn.Layer):
    """Convolutions and normalisations, and a function of them."""

    def __init__(self, compute: Any) -> None:
        super().__init__()
        self.convolution = nn.Conv2D(3, 3, 3, padding=1, bias_attr=False)
        self.biased = nn.Conv2D(3, 3, 3, padding=1)
        self.depthwise = nn.Conv2D(3, 3, 3, padding=1, groups=3)
        self.transposed = nn.Conv2DTranspose(3, 3, 2, stride=2)
        self.first = nn.BatchNorm2D(3)
        self.second = nn.BatchNorm2D(3)
        self.compute = paddle.jit.not_to_static(compute)

    def levels(self, x: Any, convolution: Any) -> Any:
        """As heads of detectors do: one convolution, a normalisation for each level."""
        small = F.avg_pool2d(x, 2, 2)
        return self.first(convolution(x)), F.relu(self.second(convolution(small)))

    def forward(self, x: Any) -> Any:
        return self.compute(self, x)


for name, compute in {
    "filters_shared": lambda net, x: net.levels(x, net.convolution),
    "filters_shared_biased": lambda net, x: net.levels(x, net.biased),
    "filters_shared_depthwise": lambda net, x: net.levels(x, net.depthwise),
    "filters_shared_transposed": lambda net, x: net.levels(x, net.transposed),
    "filters_shared_one_norm": lambda net, x: (
        net.first(net.convolution(x)),
        net.first(net.convolution(F.avg_pool2d(x, 2, 2))),
    ),
    "filters_shared_and_plain": lambda net, x: (
        net.convolution(F.avg_pool2d(x, 2, 2)),
        net.first(net.convolution(x)),
    ),
    "filters_shared_plain_after": lambda net, x: (
        net.first(net.convolution(x)),
        net.convolution(F.avg_pool2d(x, 2, 2)),
    ),
    "filters_shared_recurrent": lambda net, x: net.first(
        net.convolution(net.first(net.convolution(x)))
    ),
    "filters_read": lambda net, x: (
        net.first(net.convolution(x)),
        paddle.sum(net.convolution.weight),
    ),
    "filters_alone": lambda net, x: net.second(net.biased(net.first(net.convolution(x)))),
}.items():
    family.layer(name, lambda compute=compute: Shared(compute), IMAGE)
