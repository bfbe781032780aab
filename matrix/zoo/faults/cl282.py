"""Axes that are taken away or added beside a transpose, and lists that several read."""

from typing import Any

import paddle
from paddle import nn
from paddle.nn import functional as F  # noqa: N812 (Paddle's own custom)

from matrix.network import Input
from matrix.zoo.registry import Family

family = Family("onednn")


class Changed(nn.Layer):
    """A function of layers and of four-dimensional values."""

    def __init__(self, compute: Any) -> None:
        super().__init__()
        self.linear, self.out = nn.Linear(4, 4), nn.Linear(4, 4)
        self.convolution, self.single = nn.Conv2D(4, 4, 1), nn.Conv2D(4, 1, 1)
        self.back = nn.Conv2D(1, 4, 1)
        self.compute = paddle.jit.not_to_static(compute)

    def forward(self, x: Any) -> Any:
        return self.compute(self, x)


def _read_again(net: Any, x: Any) -> Any:
    gate = F.sigmoid(net.single(x))
    return gate.squeeze(1).transpose([0, 2, 1]), net.back(gate)


def _sequence(net: Any, x: Any) -> Any:
    return F.max_pool2d(F.relu(net.convolution(x)), [5, 1]).squeeze(2).transpose([0, 2, 1])


def _windows(net: Any, x: Any) -> Any:
    rows = x.transpose([0, 2, 3, 1]).reshape([-1, 25, 4])
    return net.linear(rows).reshape([-1, 5, 20])


def _widened(net: Any, x: Any) -> Any:
    y = (x * net.convolution.bias[0]).unsqueeze(1)
    return paddle.concat([y, y], 1)


def _triangles(net: Any, x: Any) -> Any:
    y, z = x * 2.0, x + 1.0
    return paddle.einsum("bcik,bcjk->bcij", y, z) + paddle.einsum("bcki,bckj->bcij", y, z)


def _einsum_and_stack(net: Any, x: Any) -> Any:
    y, z = x * 2.0, x + 1.0
    return paddle.einsum("bcik,bcjk->bcij", y, z), paddle.stack([y, z], 1)


for name, compute in {
    "squeezed_and_read_again": _read_again,
    "squeezed_sequence": lambda net, x: net.linear(_sequence(net, x)),
    "squeezed_sequence_joined": lambda net, x: paddle.concat([_sequence(net, x)] * 2, 1),
    "squeezed_sequence_multiplied": lambda net, x: (
        paddle.matmul(_sequence(net, x), net.linear.weight) * 2.0
    ),
    "windows_in_reshaped_layer": _windows,
    "product_widened_and_joined": _widened,
    "two_einsums_of_one_list": _triangles,
    "einsum_and_stack_of_one_list": _einsum_and_stack,
}.items():
    family.layer(name, lambda compute=compute: Changed(compute), Input((None, 4, 5, 5)))
