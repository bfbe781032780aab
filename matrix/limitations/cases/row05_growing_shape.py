"""Row 5: the shape of a loop variable changes: it is concatenated onto itself."""

import numpy as np
import paddle

SPEC = [([4, 3], "float32"), ([], "int64")]
INPUTS = [
    (np.arange(12, dtype="float32").reshape(4, 3), np.array(1, "int64")),
    (np.arange(12, dtype="float32").reshape(4, 3), np.array(2, "int64")),
]


class Said(paddle.nn.Layer):
    def forward(self, x, count):
        turn = paddle.zeros([], "int64")
        while turn < count:
            x = paddle.concat([x, x], axis=0)
            turn = turn + 1
        return x, paddle.ones([x.shape[0]])


class Recommended(paddle.nn.Layer):
    def forward(self, x, count):
        x = paddle.reshape(x, paddle.shape(x))
        turn = paddle.zeros([], "int64")
        while turn < count:
            x = paddle.concat([x, x], axis=0)
            turn = turn + 1
        return x, paddle.ones([paddle.shape(x)[0]])
