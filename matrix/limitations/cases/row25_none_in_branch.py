"""Row 25: None that a branch on a Tensor replaces, asked for afterwards."""

# ruff: noqa: SIM108 - the branches are what is shown

import numpy as np
import paddle

SPEC = [([2, 4], "float32")]
INPUTS = [(np.full((2, 4), value, "float32"),) for value in (1.5, -1.5)]


class Said(paddle.nn.Layer):
    def forward(self, x):
        y = None
        if x.mean() > 0:
            y = x * 2.0
        if y is None:
            y = x * 3.0
        return y * 2.0


class SaidElse(paddle.nn.Layer):
    def forward(self, x):
        if x.mean() > 0:
            y = x * 2.0
        else:
            y = None
        if y is None:
            y = x * 3.0
        return y * 2.0


class Recommended(paddle.nn.Layer):
    def forward(self, x):
        y = x * 3.0
        if x.mean() > 0:
            y = x * 2.0
        return y * 2.0
