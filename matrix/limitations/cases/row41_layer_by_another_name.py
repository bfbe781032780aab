"""Row 41: forward whose first parameter is not called self."""

import numpy as np
import paddle

SPEC = [([None, 4], "float32")]
INPUTS = [(np.full((2, 4), 1.5, "float32"),)]


class Said(paddle.nn.Layer):
    def forward(layer, x):  # noqa: N805
        return x * 2.0


class Recommended(paddle.nn.Layer):
    def forward(self, x):
        return x * 2.0
