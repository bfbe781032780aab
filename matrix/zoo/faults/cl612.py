"""Branches that depend on no input."""

from __future__ import annotations

from typing import Any

import paddle
from paddle import nn

from matrix.zoo.registry import ROWS, Family

family = Family("branch")


class Decided(nn.Layer):
    """A layer that is passed over under a flag of numbers, or of the input."""

    def __init__(self, flag: Any) -> None:
        super().__init__()
        self.first, self.second = nn.Linear(6, 6), nn.Linear(6, 6)
        self.flag = paddle.jit.not_to_static(flag)

    def forward(self, x: Any) -> Any:
        y = self.first(x)
        if self.flag(x, self.first.weight):
            y = self.second(y)
        return y


family.layer("flag_of_number", lambda: Decided(lambda x, w: paddle.ones([1]) > 0), ROWS)
family.layer("flag_of_parameter", lambda: Decided(lambda x, w: w.mean() > 9), ROWS)
family.layer("flag_of_input", lambda: Decided(lambda x, w: x.mean() > -9), ROWS)
