"""Row 6: ``append`` to a list inside a list in a Tensor-dependent loop."""

import numpy as np
import paddle

SPEC = [([2, 4], "float32"), ([], "int64")]
INPUTS = [
    (np.full((2, 4), 1.5, "float32"), np.array(3, "int64")),
    (np.full((2, 4), 1.5, "float32"), np.array(1, "int64")),
]


class Said(paddle.nn.Layer):
    def forward(self, x, count):
        rows = [[x]]
        turn = paddle.zeros([], "int64")
        while turn < count:
            rows[0].append(x * 2.0)
            turn = turn + 1
        return paddle.concat(rows[0], axis=0)


class SaidRows(paddle.nn.Layer):
    """The lists themselves are what is appended."""

    def forward(self, x, count):
        rows = [[x, x + 1.0]]
        turn = paddle.zeros([], "int64")
        while turn < count:
            rows.append([x * 2.0, x])
            turn = turn + 1
        return paddle.concat([row[0] for row in rows], axis=0)


class Recommended(paddle.nn.Layer):
    def forward(self, x, count):
        rows = [x]
        turn = paddle.zeros([], "int64")
        while turn < count:
            rows.append(x * 2.0)
            turn = turn + 1
        return paddle.concat(rows, axis=0)
