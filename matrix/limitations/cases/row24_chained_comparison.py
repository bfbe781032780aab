"""Row 24 (found in other people's layers): a chained comparison of a Tensor."""

import numpy as np
import paddle

SPEC = [([2, 4], "float32")]
INPUTS = [(np.full((2, 4), value, "float32"),) for value in (1.5, -1.5, 20.0)]


class Said(paddle.nn.Layer):
    def forward(self, x):
        if 0 < x.mean() < 10:
            x = x * 2.0
        return x * 3.0


class Recommended(paddle.nn.Layer):
    def forward(self, x):
        if x.mean() > 0 and x.mean() < 10:
            x = x * 2.0
        return x * 3.0
