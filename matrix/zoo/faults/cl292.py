"""A convolution that is applied twice to one value."""

from __future__ import annotations

from typing import Any

import paddle
from paddle import nn
from paddle.nn import functional as F  # noqa: N812 (Paddle's own custom)

from matrix.network import Input
from matrix.zoo.registry import IMAGE, Family

family = Family("fusion")


class Filters(nn.Layer):
    """Filters of images, of volumes and turned ones, and a function of them."""

    def __init__(self, compute: Any) -> None:
        super().__init__()
        self.convolution = nn.Conv2D(3, 3, 3, padding=1)
        self.transposed = nn.Conv2DTranspose(3, 3, 2, stride=2)
        self.volumes = nn.Conv3D(3, 3, 3, padding=1)
        self.norm = nn.BatchNorm2D(3)
        self.compute = paddle.jit.not_to_static(compute)

    def bare(self, x: Any, **how: Any) -> Any:
        return F.conv2d(x, self.convolution.weight, **{"padding": 1, **how})

    def forward(self, x: Any) -> Any:
        return self.compute(self, x)


for name, compute in {
    "convolution_twice": lambda net, x: (net.convolution(x), F.relu(net.convolution(x))),
    "convolution_twice_alike": lambda net, x: (
        F.relu(net.convolution(x)) + F.relu(net.convolution(x))
    ),
    "convolution_twice_bare": lambda net, x: (net.bare(x), F.relu(net.bare(x))),
    "convolution_twice_biased": lambda net, x: (
        net.bare(x, bias=net.convolution.bias),
        net.bare(x, bias=net.convolution.bias * 2.0),
    ),
    "convolution_twice_strided": lambda net, x: (net.bare(x), net.bare(x, stride=2)),
    "convolution_twice_dilated": lambda net, x: net.bare(x) - net.bare(x, padding=2, dilation=2),
    "convolution_twice_added": lambda net, x: (
        net.convolution(x),
        net.convolution(x) + net.convolution(x * 2.0),
    ),
    "convolution_twice_normalised": lambda net, x: (net.bare(x), net.norm(net.bare(x))),
    "convolution_twice_transposed": lambda net, x: (
        F.conv2d_transpose(x, net.transposed.weight, stride=2),
        F.relu(F.conv2d_transpose(x, net.transposed.weight, stride=2)),
    ),
    "convolution_twice_transposed_otherwise": lambda net, x: (
        F.conv2d_transpose(x, net.transposed.weight, stride=2),
        F.conv2d_transpose(x, net.transposed.weight, stride=2, padding=1, dilation=3),
    ),
    "convolution_of_two_values": lambda net, x: (net.bare(x), F.relu(net.bare(x * 2.0))),
    "convolution_thrice": lambda net, x: (
        net.bare(x),
        F.relu(net.bare(x)),
        F.sigmoid(net.bare(x)),
    ),
}.items():
    family.layer(name, lambda compute=compute: Filters(compute), IMAGE)
for name, how in {"volumes_twice": {}, "volumes_twice_strided": {"stride": 2}}.items():
    family.layer(
        name,
        lambda how=how: Filters(
            lambda net, x: (
                F.conv3d(x, net.volumes.weight, padding=1),
                F.relu(F.conv3d(x, net.volumes.weight, padding=1, **how)),
            )
        ),
        Input((None, 3, 4, 4, 4)),
    )
