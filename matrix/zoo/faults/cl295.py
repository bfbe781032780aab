"""Prelu behind what changes the axes, shuffled channels, and layers that dropout scales."""

from __future__ import annotations

from typing import Any

import paddle
from paddle import nn
from paddle.nn import functional as F  # noqa: N812 (Paddle's own custom)

from matrix.network import Input
from matrix.zoo.registry import Family

family = Family("onednn")
_IMAGE = Input((None, 4, 6, 6))


class Layers(nn.Layer):
    """Layers, and a function of them and of an image."""

    def __init__(self, compute: Any) -> None:
        super().__init__()
        self.prelu = nn.PReLU()
        self.slopes = nn.PReLU(4)
        self.convolution = nn.Conv2D(4, 4, 3, padding=1)
        self.linear = nn.Linear(6, 6)
        self.compute = paddle.jit.not_to_static(compute)

    def product(self, x: Any) -> Any:
        return paddle.matmul(x, self.linear.weight)

    def forward(self, x: Any) -> Any:
        return self.compute(self, x)


def _shuffled(x: Any) -> Any:
    turned = paddle.transpose(paddle.reshape(x, [-1, 2, 2, 6, 6]), [0, 2, 1, 3, 4])
    return paddle.reshape(turned, [-1, 4, 6, 6])


def _downscaled(x: Any) -> Any:
    return F.dropout(x, 0.3, training=False, mode="downscale_in_infer")


for name, compute in {
    "prelu_of_padded": lambda net, x: net.prelu(F.pad(x, [1, 1, 1, 1])),
    "prelu_of_padded_times": lambda net, x: net.prelu(F.pad(x, [1, 1, 1, 1]) * 2.0),
    "prelu_of_padded_layer": lambda net, x: net.prelu(F.pad(net.convolution(x), [1, 1, 1, 1])),
    "prelu_of_squeezed": lambda net, x: net.prelu(
        paddle.squeeze(paddle.unsqueeze(F.relu(x), 2), [2])
    ),
    "prelu_of_rows": lambda net, x: net.prelu(paddle.reshape(F.relu(x), [-1, 6])),
    "prelu_of_flat": lambda net, x: net.prelu(paddle.flatten(F.relu(x), 1)),
    "prelu_of_more_axes": lambda net, x: net.prelu(paddle.unsqueeze(F.relu(x), 2)),
    "prelu_of_channels": lambda net, x: net.slopes(F.pad(x, [1, 1, 1, 1])),
    "prelu_of_layer": lambda net, x: net.prelu(net.convolution(x)),
    "shuffled_and_product": lambda net, x: net.product(_shuffled(net.convolution(x))),
    "shuffled_and_layer": lambda net, x: net.linear(_shuffled(net.convolution(x))),
    "shuffled_relu_and_product": lambda net, x: net.product(F.relu(_shuffled(net.convolution(x)))),
    "shuffled_by_image": lambda net, x: paddle.matmul(_shuffled(net.convolution(x)), x),
    "image_by_shuffled": lambda net, x: paddle.matmul(x, _shuffled(net.convolution(x))),
    "shuffled_image_and_product": lambda net, x: net.product(_shuffled(x)),
    "shuffled_and_mean": lambda net, x: paddle.mean(_shuffled(net.convolution(x)), 1),
    "layer_downscaled": lambda net, x: _downscaled(net.linear(x)),
    "layer_relu_downscaled": lambda net, x: _downscaled(F.relu(net.linear(x))),
    "layer_downscaled_twice": lambda net, x: _downscaled(_downscaled(net.linear(x))),
    "product_downscaled_and_weight": lambda net, x: _downscaled(net.product(x)) + net.linear.weight,
    "softplus_low_and_relu": lambda net, x: F.relu(F.softplus(net.linear(x), 2.0, 0.5)),
    "softplus_low_and_tanh": lambda net, x: F.tanh(F.softplus(x, 2.0, 0.5)),
}.items():
    family.layer(name, lambda compute=compute: Layers(compute), _IMAGE)
