"""Row 14: ``isinstance`` on a value that conversion made a Tensor."""

import numpy as np
import paddle

SPEC = [([None, 4], "float32")]
INPUTS = [(np.full((2, 4), 1.5, "float32"),), (np.full((2, 4), 40.0, "float32"),)]


class Said(paddle.nn.Layer):
    def forward(self, x):
        turns = 0
        while paddle.max(x) < 10.0:
            x = x * 2.0
            turns = turns + 1
        if isinstance(turns, int):
            return x + turns
        return x - turns


class Recommended(paddle.nn.Layer):
    def forward(self, x):
        turns = 0
        while paddle.max(x) < 10.0:
            x = x * 2.0
            turns = turns + 1
        return x + turns
