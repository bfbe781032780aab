"""Loops that begin with a parameter, with what is computed of one, and with what is read again."""

from __future__ import annotations

from typing import Any

import paddle
from paddle import nn

from matrix.zoo.layers import computed
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


def _loop_of_read_input(x: Any) -> Any:
    state, count = x, paddle.zeros([1], "int64")
    while count < 3:
        state, count = paddle.tanh(state + 1.0), count + 1
    return state * x


def _loop_of_read_result(x: Any) -> Any:
    begun = paddle.exp(x)
    state, count = begun, paddle.zeros([1], "int64")
    while count < 3:
        state, count = paddle.tanh(state + 1.0), count + 1
    return state * begun


def _loop_of_read_state(x: Any) -> Any:
    state, rounds = paddle.exp(x), paddle.zeros([1], "int64")
    while rounds < 2:
        inner, count = state, paddle.zeros([1], "int64")
        while count < 2:
            inner, count = paddle.tanh(inner + 1.0), count + 1
        state, rounds = inner * state, rounds + 1
    return state


# What 2.6 saves of them is another model: its loops write into what is read again.
for _compute in (_loop_of_read_input, _loop_of_read_result, _loop_of_read_state):
    computed(family, _compute, since="3.0")
