"""Items of a constant that are assigned while others read it."""

from __future__ import annotations

from typing import Any

import paddle
from paddle import nn

from matrix.network import Input
from matrix.zoo.registry import Family

family = Family("runs")
_ROWS = Input((None, 4))


class Assigning(nn.Layer):
    """A constant, rows of the input, and what is assigned."""

    def __init__(self, constant: Any, assign: Any) -> None:
        super().__init__()
        self.constant = paddle.jit.not_to_static(constant)
        self.assign = assign

    def forward(self, x: Any) -> Any:
        constant = self.constant()
        rows = paddle.tile(x[:1], [4, 1])
        read = constant * rows + 1.0
        if self.assign == "row":
            constant[0] = rows[0]
        elif self.assign == "number":
            constant[1, 2] = 5.0
        else:
            constant[:] = constant - rows
        return read + constant


class InLoop(Assigning):
    def forward(self, x: Any) -> Any:
        rows = paddle.tile(x[:1], [4, 1])
        done = paddle.zeros([1], "int64")
        while done < 2:
            constant = self.constant()
            constant[:] = constant - rows
            rows = rows * 0.5 + constant
            done = done + 1
        return rows


for name, constant in {
    "zeros": lambda: paddle.zeros([4, 4]),
    "table": lambda: paddle.reshape(paddle.arange(16, dtype="float32"), [4, 4]),
}.items():
    for assign in ("row", "number", "all"):
        family.layer(
            f"{name}_and_{assign}_assigned",
            lambda constant=constant, assign=assign: Assigning(constant, assign),
            _ROWS,
        )
family.layer("zeros_assigned_in_loop", lambda: InLoop(lambda: paddle.zeros([4, 4]), "all"), _ROWS)
