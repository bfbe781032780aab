"""Layers that compute gradients: forces of an energy, and what a decision rests on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import paddle
from paddle import nn
from paddle.nn import functional as F  # noqa: N812 (Paddle's own custom)

from matrix.zoo.registry import IMAGE, ROWS, Family, Input

family = Family("gradients")


class Slopes(nn.Layer):
    """``compute`` of an input, and its gradient."""

    def __init__(self, compute: Callable[..., Any]) -> None:
        super().__init__()
        self.linear, self.other = nn.Linear(6, 3), nn.Linear(6, 3)
        self.convolution, self.norm = nn.Conv2D(3, 4, 3, padding=1), nn.BatchNorm2D(4)
        self.wide_norm = nn.BatchNorm2D(4, epsilon=0.01)
        self.register_buffer("places", paddle.to_tensor([4, 0, 2]))
        self.compute = paddle.jit.not_to_static(compute)

    def forward(self, x: Any) -> Any:
        with paddle.enable_grad():
            x = x * 1.0
            x.stop_gradient = False
            y = self.compute(self, x)
            (slope,) = paddle.grad(y, x)
        return slope, y


def _slope(x: Any) -> Any:
    """Another gradient before, of views as well."""
    (slope,) = paddle.grad((x.unsqueeze(1) ** 3).sum(), x)
    return slope[:, :3].detach()


def _add(name: str, compute: Callable[..., Any], given: Input) -> None:
    family.layer(name, lambda: Slopes(compute), given)


for name, compute in {
    "slope_of_difference": lambda net, x: paddle.tanh(net.linear(x)) - F.sigmoid(net.other(x)),
    "slope_of_product": lambda net, x: paddle.tanh(net.linear(x)) * F.sigmoid(net.other(x)),
    "slope_of_quotient": lambda net, x: net.linear(x) / (2.0 + F.sigmoid(net.other(x))),
    "slope_of_energy": lambda net, x: ((net.linear(x) - net.other(x)) ** 2).sum(),
    "slope_of_softmax": lambda net, x: F.softmax(net.linear(F.relu(x))),
    "slope_of_views": lambda net, x: (
        net.linear(x).unsqueeze(1).flatten(0, 1).reshape([-1, 1, 3]) ** 2
    ),
    "slope_of_pairs": lambda net, x: (x.unsqueeze(1) - x.unsqueeze(0)).norm(axis=-1).sum(),
    "slope_of_parts": lambda net, x: (
        paddle.split(x, 2, -1)[0] * x[:, 1:4] * paddle.index_select(x, net.places, 1)
    ),
    "slope_of_places_from_the_end": lambda net, x: (
        paddle.take_along_axis(x, paddle.argsort(x, 1)[:, :3] - 6, 1) ** 2
    ),
    "slope_of_wide_sum": lambda net, x: x.sum(-1, dtype="float64").astype("float32") ** 2,
    "slope_of_slope": lambda net, x: x.reshape([-1, 2, 3]).sum(1) * _slope(x),
    "slope_of_largest": lambda net, x: (
        (x.max(-1) * x.mean(-1) + paddle.logsumexp(x, -1)) / x.std(-1)
    ),
    "slope_of_attention": lambda net, x: F.softmax(x @ x.t()) @ paddle.concat([x, x * x], 1),
    "slope_of_norm": lambda net, x: F.layer_norm(x - x.mean(-1, keepdim=True), [6]),
}.items():
    _add(name, compute, ROWS)

for name, compute in {
    "slope_of_convolution": lambda net, x: F.relu(net.convolution(x)),
    "slope_of_batch_norm": lambda net, x: F.relu(net.norm(net.convolution(x))),
    "slope_of_wide_batch_norm": lambda net, x: net.wide_norm(net.convolution(x)) ** 2,
    "slope_of_pooling": lambda net, x: F.max_pool2d(net.convolution(x), 2),
}.items():
    _add(name, compute, IMAGE)
