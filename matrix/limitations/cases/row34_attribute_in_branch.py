"""Row 34: an attribute of the layer's that a branch on a Tensor gives a Tensor."""

# ruff: noqa: SIM108 - the branches are what is shown

import numpy as np
import paddle

SPEC = [([2, 4], "float32")]
INPUTS = [(np.full((2, 4), value, "float32"),) for value in (1.5, -1.5)]


class Said(paddle.nn.Layer):
    def __init__(self):
        super().__init__()
        self.kept = None

    def forward(self, x):
        if x.mean() > 0:
            self.kept = x * 2.0
        else:
            self.kept = x * 3.0
        return self.kept


class Recommended(paddle.nn.Layer):
    def forward(self, x):
        if x.mean() > 0:
            kept = x * 2.0
        else:
            kept = x * 3.0
        return kept
