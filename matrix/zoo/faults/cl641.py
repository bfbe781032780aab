"""A product with a weight that is computed, an addition and two activations."""

from __future__ import annotations

from typing import Any

import paddle
from paddle import nn
from paddle.nn import functional

from matrix.zoo.registry import ROWS, Family

family = Family("fusion")


class Scored(nn.Layer):
    def __init__(self, first: Any, second: Any) -> None:
        super().__init__()
        self.inner = nn.Linear(6, 4)
        self.first, self.second = first, second

    def forward(self, x: Any) -> Any:
        y = paddle.matmul(x, self.inner.weight * 2.0) + self.inner.bias
        return self.second(self.first(y))


family.layer("scores_squashed_twice", lambda: Scored(nn.LeakyReLU(0.3), paddle.tanh), ROWS)
family.layer("root_of_cut_scores", lambda: Scored(functional.relu, paddle.sqrt), ROWS)
family.layer("scores_cut_behind_tanh", lambda: Scored(paddle.tanh, functional.relu), ROWS)
