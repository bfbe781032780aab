"""Loops that begin with a filled number."""

from __future__ import annotations

from typing import Any

import paddle
from paddle import nn

from matrix.zoo.registry import ROWS, Family

family = Family("loop")


class Summed(nn.Layer):
    """Rows added up one by one, from a number of no dimensions on."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(6, 6)

    def forward(self, x: Any) -> Any:
        total = paddle.zeros([])
        for row in self.linear(x):
            total = total + row.sum() * 0.5
        return total


class Doubled(nn.Layer):
    """A number doubled until it is above all others, or put back."""

    def forward(self, x: Any) -> Any:
        bound = paddle.full([], 0.25)
        while bound < x.abs().max():
            bound = bound * 2.0 if bound > 0.1 else paddle.full([], 0.25)
        return x / bound


family.layer("summed_from_zero", Summed, ROWS)
family.layer("bound_doubled", Doubled, ROWS)
