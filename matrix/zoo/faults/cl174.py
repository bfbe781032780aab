"""Buffers without elements, which layers cannot be loaded with."""

from __future__ import annotations

from typing import Any

import paddle
from paddle import nn

from matrix.zoo.registry import ROWS, Family

family = Family("buffer_without_elements")


class Kept(nn.Layer):
    def __init__(self, shape: list[int]) -> None:
        super().__init__()
        self.linear = nn.Linear(6, 6)
        self.register_buffer("kept", paddle.zeros(shape))

    def forward(self, x: Any) -> Any:
        y = self.linear(x)
        return paddle.concat([y.flatten() if self.kept.ndim == 1 else y, self.kept])


for _name, _shape in (("rows", [0, 6]), ("one_axis", [0])):
    family.layer(
        f"joined_buffer_of_{_name}_without_elements",
        lambda shape=_shape: Kept(shape),
        ROWS,
    )
