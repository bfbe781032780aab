"""What needs Python 3.10 to be parsed. First half."""

import numpy as np
from paddle import nn

SPEC = [([2, 4], "float32")]
INPUTS = [(np.full((2, 4), 1.5, "float32"),), (np.full((2, 4), -1.5, "float32"),)]


class MatchOnText(nn.Layer):
    def __init__(self):
        super().__init__()
        self.mode = "a"

    def forward(self, x):
        match self.mode:
            case "a":
                return x * 2
            case _:
                return x * 3


class MatchOnTensor(nn.Layer):
    def forward(self, x):
        match len(x.shape):
            case 2:
                if x.mean() > 0:
                    x = x * 2
            case _:
                x = x * 3
        return x * 2
