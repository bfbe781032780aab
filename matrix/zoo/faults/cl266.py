"""Convolutions beside a loop that counts in place."""

from typing import Any

import paddle
from paddle import nn
from paddle.nn import functional as F  # noqa: N812 (Paddle's own custom)

from matrix.network import Input
from matrix.zoo.registry import Family

family = Family("sequence")


class RowsOfImage(nn.Layer):  # type: ignore[misc]
    """What a convolution makes of an image, read row by row by a cell."""

    def __init__(self, convolution: Any) -> None:
        super().__init__()
        self.convolution = convolution
        self.norm = nn.BatchNorm2D(4)
        self.norm.weight.set_value(paddle.linspace(0.5, 2, 4))
        self.rows = nn.RNN(nn.GRUCell(24, 4))
        self.linear = nn.Linear(4, 4)

    def forward(self, x: Any) -> Any:
        y = self.norm(F.relu(self.convolution(x)))
        states, last = self.rows(y.transpose([0, 2, 1, 3]).flatten(2))
        return self.linear(states), last, 1.0 / (y + 1.0)


IMAGE = Input((None, 3, 6, 6))
family.layer("rows_of_convolution", lambda: RowsOfImage(nn.Conv2D(3, 4, 1)), IMAGE)
family.layer("rows_of_transposed", lambda: RowsOfImage(nn.Conv2DTranspose(3, 4, 1)), IMAGE)
