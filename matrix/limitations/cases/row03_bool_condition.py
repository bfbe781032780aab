"""Row 3: a loop condition starts as a Python bool and becomes a Tensor."""

import numpy as np
import paddle

SPEC = [([None, 4], "float32")]
INPUTS = [(np.full((2, 4), 7.0, "float32"),), (np.full((2, 4), 40.0, "float32"),)]


class Said(paddle.nn.Layer):
    def forward(self, x):
        going = True
        while going:
            x = x + 1.0
            going = paddle.max(x) < 10.0
        return x


class Recommended(paddle.nn.Layer):
    def forward(self, x):
        going = paddle.to_tensor(True)
        while going:
            x = x + 1.0
            going = paddle.max(x) < 10.0
        return x


class SaidForever(paddle.nn.Layer):
    def forward(self, x):
        while True:
            x = x + 1.0
            if paddle.max(x) > 10.0:
                break
        return x
