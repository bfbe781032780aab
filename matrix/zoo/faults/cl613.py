"""Fully connected layers of parameters."""

from __future__ import annotations

from typing import Any

from paddle import nn
from paddle.nn import functional

from matrix.zoo.registry import ROWS, Family

family = Family("fusion")


class Queries(nn.Layer):
    """Learned queries, projected, that rows are compared with."""

    def __init__(self, factor: float) -> None:
        super().__init__()
        self.queries, self.project, self.linear = (
            nn.Embedding(4, 6),
            nn.Linear(6, 6),
            nn.Linear(6, 6),
        )
        self.factor = factor

    def forward(self, x: Any) -> Any:
        learned = self.queries.weight
        if self.factor != 1.0:
            learned = learned * self.factor
        return functional.linear(self.linear(x), self.project(learned).t())


family.layer("projected_queries", lambda: Queries(1.0), ROWS)
family.layer("projected_larger_queries", lambda: Queries(2.0), ROWS)
