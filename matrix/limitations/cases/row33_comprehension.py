"""Row 33: a comprehension over a free dimension, and sum() of a list that a branch grows."""

import numpy as np
import paddle

SPEC = [([None, 4], "float32")]
INPUTS = [(np.full((2, 4), 1.5, "float32"),), (np.full((3, 4), -1.5, "float32"),)]


class Said(paddle.nn.Layer):
    def forward(self, x: paddle.Tensor):
        return paddle.stack([row * 2.0 for row in x])


class SaidRange(paddle.nn.Layer):
    def forward(self, x):
        return paddle.stack([x[i] * 2.0 for i in range(x.shape[0])])


class SaidSum(paddle.nn.Layer):
    def forward(self, x):
        items = [x * 1.0]
        if x.mean() > 0:
            items.append(x * 2.0)
        return sum(items)


class Recommended(paddle.nn.Layer):
    def forward(self, x):
        rows = []
        for i in range(x.shape[0]):
            rows.append(x[i] * 2.0)
        return paddle.stack(rows)


class RecommendedSum(paddle.nn.Layer):
    def forward(self, x):
        total = x * 1.0
        if x.mean() > 0:
            total = total + x * 2.0
        return total
