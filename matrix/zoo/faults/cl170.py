"""Inputs, and what is read in front of a loop, that the loop writes over in 2.6."""

from __future__ import annotations

from typing import Any

import paddle
from paddle import nn

from matrix.zoo.layers import TWO_SIZES, computed
from matrix.zoo.registry import ROWS, Family

family = Family("loop")


class Beside(nn.Layer):
    """A layer of the value that a loop begins with, which the loop does not wait for."""

    def __init__(self, *, of_input: bool) -> None:
        super().__init__()
        self.linear = nn.Linear(6, 6)
        self.of_input = of_input

    def forward(self, x: Any) -> Any:
        begun = x if self.of_input else paddle.tanh(x)
        beside = self.linear(begun)
        state, count = begun, paddle.zeros([1], "int64")
        while count < 3:
            state, count = state * 0.5 + 1.0, count + 1
        return state + beside


def _loop_over_input(x: Any) -> Any:
    state, count = x, paddle.zeros([1], "int64")
    while count < 3:
        state, count = state * 0.5 + 1.0, count + 1
    return state


family.layer("loop_over_layer_of_input", lambda: Beside(of_input=True), ROWS, shapes=TWO_SIZES)
family.layer("loop_over_layer", lambda: Beside(of_input=False), ROWS, shapes=TWO_SIZES)
computed(family, _loop_over_input)
