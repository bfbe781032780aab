"""Row 35: for … else, where a Tensor counts."""

import numpy as np
import paddle

SPEC = [([2, 4], "float32"), ([], "int64")]
INPUTS = [
    (np.full((2, 4), 1.5, "float32"), np.array(2, "int64")),
    (np.full((2, 4), -1.5, "float32"), np.array(3, "int64")),
]


class Said(paddle.nn.Layer):
    def forward(self, x, count):
        for _ in range(count):
            x = x * 2.0
        else:
            x = x * 3.0
        return x


class Recommended(paddle.nn.Layer):
    def forward(self, x, count):
        for _ in range(count):
            x = x * 2.0
        return x * 3.0
