"""Row 36: insert and extend of a list in a loop on a Tensor."""

import numpy as np
import paddle

SPEC = [([2, 4], "float32"), ([], "int64")]
INPUTS = [
    (np.full((2, 4), 1.5, "float32"), np.array(2, "int64")),
    (np.full((2, 4), -1.5, "float32"), np.array(0, "int64")),
]


class Said(paddle.nn.Layer):
    def forward(self, x, count):
        rows = [x]
        for _ in range(count):
            rows.insert(0, x * 2.0)
        return paddle.concat(rows, 0)


class SaidExtend(paddle.nn.Layer):
    def forward(self, x, count):
        rows = [x]
        for _ in range(count):
            rows.extend([x * 2.0])
        return paddle.concat(rows, 0)


class Recommended(paddle.nn.Layer):
    def forward(self, x, count):
        rows = [x]
        for _ in range(count):
            rows.append(x * 2.0)
        return paddle.concat(rows, 0)
