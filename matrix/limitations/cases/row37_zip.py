"""Row 37: zip over Tensors with a free first dimension."""

import numpy as np
import paddle

SPEC = [([None, 4], "float32")]
INPUTS = [(np.full((2, 4), 1.5, "float32"),), (np.full((3, 4), -1.5, "float32"),)]


class Said(paddle.nn.Layer):
    def forward(self, x):
        rows = []
        for one, other in zip(paddle.tanh(x), paddle.exp(x)):
            rows.append(one + other)
        return paddle.stack(rows)


class Recommended(paddle.nn.Layer):
    def forward(self, x):
        one, other = paddle.tanh(x), paddle.exp(x)
        rows = []
        for i in range(x.shape[0]):
            rows.append(one[i] + other[i])
        return paddle.stack(rows)
