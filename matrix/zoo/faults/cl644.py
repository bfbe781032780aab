"""Results of convolutions that are stacked."""

from __future__ import annotations

from typing import Any

import paddle
from paddle import nn
from paddle.nn import functional as F  # noqa: N812 (Paddle's own custom)

from matrix.network import Input
from matrix.zoo.registry import Family

family = Family("blocks")


class Kernels(nn.Layer):
    """Two convolutions, the second in groups, and a function of both."""

    def __init__(self, compute: Any) -> None:
        super().__init__()
        self.whole = nn.Conv2D(8, 16, 3, padding=1)
        self.grouped = nn.Conv2D(8, 16, 3, padding=2, dilation=2, groups=2)
        self.compute = paddle.jit.not_to_static(compute)

    def forward(self, x: Any) -> Any:
        return self.compute(self.whole(x), self.grouped(x))


for name, compute in {
    "kernels_stacked": lambda one, other: paddle.stack([one, other], 1),
    "kernels_stacked_activated": lambda one, other: paddle.stack([F.relu(one), F.relu(other)], 1),
    "kernels_stacked_from_end": lambda one, other: paddle.stack([other * 2.0, other], -4),
    "kernels_stacked_first": lambda one, other: paddle.stack([one, other]),
    "kernels_stacked_second": lambda one, other: paddle.stack([one, other], 2),
    "kernels_selected": lambda one, other: paddle.sum(
        paddle.stack([one, other], 1)
        * F.softmax(paddle.mean(paddle.stack([one, other], 1), [3, 4], keepdim=True), 1),
        1,
    ),
}.items():
    family.layer(
        name, lambda compute=compute: Kernels(compute), Input((None, 8, 6, 5)), tolerance=1e-4
    )
