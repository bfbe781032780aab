"""A single place that a convolution computes of a parameter, enlarged."""

from typing import Any

import paddle
from paddle import nn

from matrix.zoo.registry import ROWS, Family

family = Family("fusion")


class Learnt(nn.Layer):
    """A picture that is learnt and not given, and is added to every row."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(6, 6)
        self.convolution = nn.Conv2D(3, 6, 3, padding=1)
        self.picture = self.create_parameter(
            [1, 3, 1, 1], default_initializer=nn.initializer.Normal()
        )

    def forward(self, x: Any) -> Any:
        larger = paddle.nn.functional.interpolate(
            self.convolution(paddle.nn.functional.relu(self.picture)), scale_factor=2.0
        )
        return self.linear(x) + larger.sum(axis=[2, 3])


family.layer("single_place_of_parameter", Learnt, ROWS)
