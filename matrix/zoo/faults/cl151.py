"""A recurrent network in a loop, and in a branch."""

from typing import Any

import paddle
from paddle import nn

from matrix.zoo.registry import SEQUENCE, Family

family = Family("control")


class RecurrentInLoop(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.gru = nn.GRU(6, 6)

    def forward(self, x: Any) -> Any:
        i = paddle.zeros([1], "int64")
        y = x * 1.0
        while i < 3:
            y = self.gru(y)[0] + x
            i = i + 1
        return y


class RecurrentInBranch(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.lstm = nn.LSTM(6, 6)

    def forward(self, x: Any) -> Any:
        if x.sum() > -1e6:  # noqa: SIM108 (a statement is what is to be converted)
            y = self.lstm(x)[0]
        else:
            y = x * 2.0
        return y


family.layer("recurrent_in_loop", RecurrentInLoop, SEQUENCE)
family.layer("recurrent_in_branch", RecurrentInBranch, SEQUENCE)
