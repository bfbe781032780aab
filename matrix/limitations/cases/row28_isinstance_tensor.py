"""Row 28: isinstance(x, paddle.Tensor)."""

import numpy as np
import paddle

SPEC = [([2, 4], "float32")]
INPUTS = [(np.full((2, 4), 1.5, "float32"),)]


class Said(paddle.nn.Layer):
    def forward(self, x):
        if isinstance(x, paddle.Tensor):
            return x * 2.0
        return x * 3.0


class Recommended(paddle.nn.Layer):
    def forward(self, x):
        if paddle.is_tensor(x):
            return x * 2.0
        return x * 3.0
