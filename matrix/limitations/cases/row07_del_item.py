"""Row 7: ``del items[0]`` in a Tensor-dependent loop."""

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
            del items[0]
            turn = turn + 1
        return items[0]


class SaidPop(paddle.nn.Layer):
    """What the guide recommends; on 3.x it converts, but is not exported."""

    def forward(self, x, count):
        items = [x, x + 1.0, x + 2.0]
        turn = paddle.zeros([], "int64")
        while turn < count:
            items.pop(0)
            turn = turn + 1
        return items[0]


class Recommended(paddle.nn.Layer):
    """The list stays as it is; its first item is counted."""

    def forward(self, x, count):
        items = paddle.stack([x, x + 1.0, x + 2.0])
        first = paddle.zeros([], "int64")
        while first < count:
            first = first + 1
        return items[first]


class RecommendedPop(Recommended):
    """The same form stands in for ``pop``."""
