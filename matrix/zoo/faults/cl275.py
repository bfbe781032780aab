"""Weights that are computed of an input: the second run is on other numbers of the same size."""

from typing import Any

import paddle
from paddle import nn
from paddle.nn import functional as F  # noqa: N812 (Paddle's own custom)

from matrix.network import Input
from matrix.zoo.registry import Family

family = Family("onednn")
IMAGE = Input((None, 4, 6, 6))
FILTER = Input((4, 4, 3, 3))
ROWS = Input((None, 5, 4))
IMAGES = [[(1, 4, 6, 6)], [(1, 4, 6, 6)], [(2, 4, 6, 6)]]
BOTH = [[*one, (4, 4, 3, 3)] for one in IMAGES]
SEVERAL_ROWS = [[(1, 5, 4)], [(1, 5, 4)], [(3, 5, 4)]]


class Weighted(nn.Layer):
    """Weights, and a function of them and an input."""

    def __init__(self, compute: Any) -> None:
        super().__init__()
        self.convolution = nn.Conv2D(4, 4, 3)
        self.linear = nn.Linear(4, 4)
        self.compute = paddle.jit.not_to_static(compute)

    def forward(self, x: Any) -> Any:
        return self.compute(self, x)

    def filters(self, x: Any) -> Any:
        return self.convolution.weight * x.mean()


def _constant(net: Any, x: Any) -> Any:
    weight = net.convolution.weight
    return F.conv2d(x, weight / paddle.sqrt((weight * weight).sum([1, 2, 3], keepdim=True)))


family.op("filter_that_is_input", F.conv2d, IMAGE, FILTER, shapes=BOTH)
family.op("transposed_filter_that_is_input", F.conv2d_transpose, IMAGE, FILTER, shapes=BOTH)
for name, compute in {
    "filter_computed": lambda net, x: F.relu(F.conv2d(x, net.filters(x), net.convolution.bias)),
    "filter_of_parameters": _constant,
}.items():
    family.layer(name, lambda compute=compute: Weighted(compute), IMAGE, shapes=IMAGES)
for name, compute in {
    "layer_of_computed_matrix": lambda net, x: F.linear(
        x, net.linear.weight * x.mean(), net.linear.bias
    ),
    "layer_of_computed_row": lambda net, x: (
        paddle.matmul(x, net.linear.weight) + paddle.mean(x, [0, 1])
    ),
}.items():
    family.layer(name, lambda compute=compute: Weighted(compute), ROWS, shapes=SEVERAL_ROWS)
