"""What is joined before a loop, and again in it; networks that begin with the same zeros."""

from typing import Any

import paddle
from paddle import nn

from matrix.network import Input
from matrix.zoo.registry import ROWS, SEQUENCE, Family

family = Family("control")


class JoinedAgain(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(6, 6)

    def forward(self, x: Any) -> Any:
        one, other = self.linear(x), paddle.sin(x)
        joined = paddle.concat([one, other], axis=-1)
        i = paddle.zeros([1], "int64")
        y = paddle.zeros_like(joined)
        while i < 3:
            y = y * 0.5 + paddle.stack([one, other], axis=1).sum(axis=1).tile([1, 2])
            i = i + 1
        return joined + y


class StateAgain(nn.Layer):
    """A decoder that carries the state of its encoder round."""

    def __init__(self) -> None:
        super().__init__()
        self.encoder = nn.GRU(6, 6)
        self.decoder = nn.GRU(6, 6)

    def forward(self, x: Any) -> Any:
        y, state = self.encoder(x)
        i = paddle.zeros([1], "int64")
        while i < 3:
            y, made = self.decoder(y)
            state = state * 0.5 + made
            i = i + 1
        return y, state


class PlaceAgain(nn.Layer):
    """A row that a condition and its branch read, each by the count of the loop."""

    def forward(self, x: Any) -> Any:
        total = x[0] * 0.0
        i = paddle.zeros([], "int64")
        while i < 2:
            if x[i].sum() > 0:  # noqa: SIM108 (a statement is what is converted)
                total = total * 0.5 + x[i]
            else:
                total = total - 1.0
            i = i + 1
        return total


family.layer("place_again", PlaceAgain, Input((None, 6)), shapes=[[(2, 6)], [(4, 6)]])
family.layer("joined_again", JoinedAgain, ROWS)
family.layer("state_again", StateAgain, SEQUENCE)
