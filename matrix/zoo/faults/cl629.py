"""Numbers of channels that are added to volumes of one place a step."""

from __future__ import annotations

from typing import Any

import paddle
from paddle import nn

from matrix.network import Input
from matrix.zoo.registry import Family

family = Family("onednn")
_STEPS = Input((None, 3, 6, 1, 1))


class Volumes(nn.Layer):
    """A convolution, and what is added to what it made."""

    def __init__(self, bias: bool, add: Any = None) -> None:
        super().__init__()
        self.conv = nn.Conv3D(3, 5, 1, bias_attr=None if bias else False)
        self.add = add
        self.row = self.create_parameter([5, 1, 1, 1])

    def forward(self, x: Any) -> Any:
        y = self.conv(x)
        if self.add is None:
            return y * 2.0
        y = nn.functional.relu(y)
        return y + (self.row if self.add == "row" else y.mean([2, 3, 4], keepdim=True))


class Squeezed(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv3D(3, 5, 1)

    def forward(self, x: Any) -> Any:
        return nn.functional.sigmoid(self.conv(paddle.mean(x, [3, 4], keepdim=True)))


family.layer("steps_and_bias", lambda: Volumes(bias=True), _STEPS)
family.layer("steps_and_row", lambda: Volumes(bias=False, add="row"), _STEPS)
family.layer("steps_and_gate", lambda: Volumes(bias=False, add="gate"), _STEPS)
family.layer("squeezed_steps", Squeezed, Input((None, 3, 6, 4, 4)))
