"""Layers of float64, beside what oneDNN is left for."""

from __future__ import annotations

from typing import Any

from paddle import nn

from matrix.zoo.registry import ROWS, Family

family = Family("numbers")


class _Wide(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(6, 5)
        self.linear.to(dtype="float64")

    def forward(self, x: Any) -> Any:
        y = self.linear(x.astype("float64"))
        return y, nn.functional.relu(nn.functional.softplus(y))


family.layer("layer_of_float64", _Wide, ROWS)
