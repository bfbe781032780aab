"""Dropouts before a loop and before a branch."""

from typing import Any

import paddle
from paddle import nn
from paddle.nn import functional as F  # noqa: N812 (Paddle's own custom)

from matrix.zoo.registry import ROWS, Family

family = Family("control flow")


class Dropped(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(6, 6)
        self.dropout = nn.Dropout(0.2)

    def dropped(self, x: Any) -> Any:
        return self.dropout(F.relu(self.linear(x)))


class DroppedBeforeLoop(Dropped):
    def forward(self, x: Any) -> Any:
        y = self.dropped(x)
        count, state = paddle.zeros([1], "int64"), paddle.zeros_like(x)
        return paddle.static.nn.while_loop(
            lambda count, state: count < 3,
            lambda count, state: [count + 1, paddle.tanh(state * 0.5 + y)],
            [count, state],
        )[1]


class DroppedBeforeBranch(Dropped):
    def forward(self, x: Any) -> Any:
        y = self.dropped(x)
        return paddle.static.nn.cond(x.mean() > 0, lambda: y * 2.0, lambda: F.relu(y) + 1.0)


family.layer("dropped_before_loop", DroppedBeforeLoop, ROWS)
family.layer("dropped_before_branch", DroppedBeforeBranch, ROWS)
