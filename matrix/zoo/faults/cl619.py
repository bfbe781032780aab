"""Fully connected layers whose result is reshaped by a tensor."""

from __future__ import annotations

from typing import Any

import paddle
from paddle import nn

from matrix.zoo.registry import ROWS, Family

family = Family("shape")


class Reshaped(nn.Layer):
    """Rows cut in two, by the shape of what they are added to."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(6, 6)

    def forward(self, x: Any) -> Any:
        cut = x.reshape([0, 2, 3])
        return nn.functional.relu(self.linear(x)).reshape(paddle.shape(cut))


family.layer("reshaped_by_shape", Reshaped, ROWS)
