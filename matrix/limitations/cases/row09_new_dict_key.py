"""Row 9: a key that a dict did not have is set in a Tensor-dependent loop."""

import numpy as np
import paddle

SPEC = [([2, 4], "float32"), ([], "int64")]
INPUTS = [
    (np.full((2, 4), 1.5, "float32"), np.array(2, "int64")),
    (np.full((2, 4), 1.5, "float32"), np.array(1, "int64")),
]


class Said(paddle.nn.Layer):
    def forward(self, x, count):
        found = {"first": x}
        turn = paddle.zeros([], "int64")
        while turn < count:
            found["last"] = x + turn.astype("float32")
            turn = turn + 1
        return found["first"] + found["last"]


class Recommended(paddle.nn.Layer):
    def forward(self, x, count):
        found = {"first": x, "last": paddle.zeros_like(x)}
        turn = paddle.zeros([], "int64")
        while turn < count:
            found["last"] = x + turn.astype("float32")
            turn = turn + 1
        return found["first"] + found["last"]
