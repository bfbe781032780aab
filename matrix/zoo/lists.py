"""Lists of Tensors that branches and loops fill, and whose elements loops read."""

from __future__ import annotations

from typing import Any

import paddle
from paddle import nn

from matrix.zoo.registry import SEQUENCE, Family

family = Family("loops")


class Filled(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(6, 6)


class InBranches(Filled):
    """As keyword spotting cuts what its stacks give (MDTC of PaddleSpeech)."""

    def forward(self, x: Any) -> Any:
        cut = []
        for y in [self.linear(x), x]:
            if y.shape[1] - 3 > 1:
                cut.append(y[:, 1:3])
            else:
                cut.append(y[:, :2])
        total = paddle.zeros([x.shape[0], 2, 6])
        for part in cut:
            total = total + part
        return total


class InLoop(Filled):
    def forward(self, x: Any) -> Any:
        steps, y = [], self.linear(x)
        for step in range(x.shape[1]):
            steps.append(y[:, step] * (step + 1))
        total = paddle.zeros([x.shape[0], 6])
        for one in steps:
            total = total * 0.5 + one
        return total + steps[-1], steps[0]


family.layer("list_filled_in_branches", InBranches, SEQUENCE)
family.layer("list_filled_in_loop", InLoop, SEQUENCE)
