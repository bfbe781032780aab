"""Loops that begin with a parameter, and with what is computed of one."""

from __future__ import annotations

from typing import Any

import paddle
from paddle import nn

from matrix.zoo.registry import ROWS, Family

family = Family("loop")


class Begun(nn.Layer):
    """A state that a loop changes three times, from where ``begin`` puts it."""

    def __init__(self, begin: Any) -> None:
        super().__init__()
        self.linear = nn.Linear(6, 6)
        self.start = self.create_parameter([6], is_bias=False)
        self.begin = paddle.jit.not_to_static(begin)

    def forward(self, x: Any) -> Any:
        state = self.begin(self.start)
        count = paddle.zeros([1], "int64")
        while count < x.shape[1] // 2:
            state = paddle.tanh(state + x.mean(0))
            count = count + 1
        return self.linear(x) * state


family.layer("loop_of_parameter", lambda: Begun(lambda start: start), ROWS)
family.layer("loop_of_doubled_parameter", lambda: Begun(lambda start: start * 2.0), ROWS)
