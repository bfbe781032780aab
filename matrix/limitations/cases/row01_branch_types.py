"""Row 1: the branches of an ``if`` on a Tensor give one name a Tensor and a bool."""

# ruff: noqa: SIM108 - the branches are what is shown

import numpy as np
import paddle

SPEC = [([None, 4], "float32")]
INPUTS = [(np.full((2, 4), 1.5, "float32"),), (np.full((2, 4), -1.5, "float32"),)]


class Said(paddle.nn.Layer):
    def forward(self, x):
        if paddle.mean(x) > 0:
            result = x * 2.0
        else:
            result = False
        return result


class Recommended(paddle.nn.Layer):
    def forward(self, x):
        result = x * 2.0
        if paddle.mean(x) > 0:
            found = paddle.to_tensor(True)
        else:
            found = paddle.to_tensor(False)
        return result, found
