"""Row 32: a method that calls itself until a Tensor says stop."""

import numpy as np
import paddle

SPEC = [([2, 4], "float32")]
INPUTS = [(np.full((2, 4), value, "float32"),) for value in (1.5, -30.0)]


class Said(paddle.nn.Layer):
    def step(self, x):
        if x.mean() > 10:
            return x
        return self.step(x + 20.0)

    def forward(self, x):
        return self.step(x * 1.0)


class Recommended(paddle.nn.Layer):
    def forward(self, x):
        y = x * 1.0
        while y.mean() <= 10:
            y = y + 20.0
        return y
