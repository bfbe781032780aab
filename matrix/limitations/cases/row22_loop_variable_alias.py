"""Row 22 (found here, not in the guide): a loop variable starts as a name the loop also reads.

A legacy ``while`` writes its result into the variable that the loop variable started from.
"""

import numpy as np
import paddle

SPEC = [([None, 4], "float32"), ([], "int64")]
INPUTS = [
    (np.full((2, 4), 1.5, "float32"), np.array(3, "int64")),
    (np.full((2, 4), 1.5, "float32"), np.array(1, "int64")),
]


class Said(paddle.nn.Layer):
    def forward(self, x, count):
        total = x
        turn = paddle.ones([], "int64")
        while turn < count:
            total = total * 2.0 + x
            turn = turn + 1
        return total


class Recommended(paddle.nn.Layer):
    def forward(self, x, count):
        total = paddle.assign(x)
        turn = paddle.ones([], "int64")
        while turn < count:
            total = total * 2.0 + x
            turn = turn + 1
        return total


class SaidSwap(paddle.nn.Layer):
    """Two names that exchange their values in every turn."""

    def forward(self, x, count):
        one, other = x * 1.0, x * 2.0
        turn = paddle.zeros([], "int64")
        while turn < count:
            one, other = other, one
            turn = turn + 1
        return one - other * 2.0


class RecommendedSwap(paddle.nn.Layer):
    def forward(self, x, count):
        one, other = x * 1.0, x * 2.0
        turn = paddle.zeros([], "int64")
        while turn < count:
            one, other = paddle.assign(other), paddle.assign(one)
            turn = turn + 1
        return one - other * 2.0
