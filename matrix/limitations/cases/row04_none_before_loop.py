"""Row 4: a name is None before a Tensor-dependent loop and a Tensor after it."""

# ruff: noqa: SIM108 - the branches are what is shown

import numpy as np
import paddle

SPEC = [([None, 4], "float32"), ([], "int64")]
INPUTS = [
    (np.full((2, 4), 1.5, "float32"), np.array(3, "int64")),
    (np.full((2, 4), 1.5, "float32"), np.array(1, "int64")),
]


class Said(paddle.nn.Layer):
    def forward(self, x, count):
        total = None
        turn = paddle.zeros([], "int64")
        while turn < count:
            if total is None:
                total = x
            else:
                total = total * 2.0 + x
            turn = turn + 1
        return total


class Recommended(paddle.nn.Layer):
    def forward(self, x, count):
        total = paddle.assign(x)  # a copy: row 22 says why
        turn = paddle.ones([], "int64")
        while turn < count:
            total = total * 2.0 + x
            turn = turn + 1
        return total
