"""Tensors expanded to more axes, some of which keep their size."""

from __future__ import annotations

from typing import Any

import paddle
from paddle import nn

from matrix.zoo.registry import ROWS, Family

family = Family("shape")


class Expanded(nn.Layer):
    """What a layer computes, for each of several others."""

    def __init__(self, shape: list[int]) -> None:
        super().__init__()
        self.shape = shape
        self.linear = nn.Linear(6, 6)

    def forward(self, x: Any) -> Any:
        return paddle.expand(self.linear(x), self.shape) * 2.0


family.layer("expanded_before", lambda: Expanded([3, -1, -1]), ROWS)
family.layer("expanded_before_twice", lambda: Expanded([2, 1, -1, 6]), ROWS)


class Repeated(Expanded):
    """A mean for each row again, whose number a run tells."""

    def forward(self, x: Any) -> Any:
        return paddle.expand(self.linear(x).mean(0), [x.shape[0], *self.shape]) + x


family.layer("mean_for_each_row", lambda: Repeated([-1]), ROWS)
