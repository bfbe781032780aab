"""Buffers without elements, which layers cannot be loaded with."""

from __future__ import annotations

from typing import Any

import paddle
from paddle import nn

from matrix.zoo.registry import ROWS, Family

family = Family("buffer_without_elements")


class Kept(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(6, 6)
        self.register_buffer("kept", paddle.zeros([0, 6]))

    def forward(self, x: Any) -> Any:
        return paddle.concat([self.kept, self.linear(x)])


family.layer("joined_buffer_without_elements", Kept, ROWS)
