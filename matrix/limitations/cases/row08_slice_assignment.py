"""Row 8: assignment to a slice of a list in a Tensor-dependent loop."""

import numpy as np
import paddle

SPEC = [([2, 4], "float32"), ([], "int64")]
INPUTS = [
    (np.full((2, 4), 1.5, "float32"), np.array(2, "int64")),
    (np.full((2, 4), 1.5, "float32"), np.array(0, "int64")),
]


class Said(paddle.nn.Layer):
    def forward(self, x, count):
        items = [x, x + 1.0, x + 2.0]
        turn = paddle.zeros([], "int64")
        while turn < count:
            items[0:2] = [items[1] * 2.0, items[2]]
            turn = turn + 1
        return items[0] + items[1]


class SaidElements(paddle.nn.Layer):
    """What the guide recommends; 3.x dies of it."""

    def forward(self, x, count):
        items = [x, x + 1.0, x + 2.0]
        turn = paddle.zeros([], "int64")
        while turn < count:
            items[0] = items[1] * 2.0
            items[1] = items[2]
            turn = turn + 1
        return items[0] + items[1]


class Recommended(paddle.nn.Layer):
    """A name for each item."""

    def forward(self, x, count):
        first, second, third = x * 1.0, x + 1.0, x + 2.0
        turn = paddle.zeros([], "int64")
        while turn < count:
            first = second * 2.0
            second = paddle.assign(third)
            turn = turn + 1
        return first + second


class RecommendedElements(Recommended):
    """The same form stands in for single elements."""


class SaidNew(paddle.nn.Layer):
    """Items that get new Tensors, not each other's: right everywhere."""

    def forward(self, x, count):
        items = [x, x + 1.0, x + 2.0]
        turn = paddle.zeros([], "int64")
        while turn < count:
            items[0:2] = [items[1] * 2.0, items[2] * 1.0]
            items[2] = items[0] * 3.0
            turn = turn + 1
        return items[0] + items[1]
