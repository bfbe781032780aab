"""Row 20: the program of a converted layer is asked for, as exporting tools do before saving.

The recommended form converts with ``full_graph=True`` whatever the run asks for.
"""

import numpy as np
import paddle

SPEC = [([None, 4], "float32")]
INPUTS = [(np.full((2, 4), 1.5, "float32"),), (np.full((3, 4), -1.5, "float32"),)]


class Said(paddle.nn.Layer):
    def __init__(self):
        super().__init__()
        self.linear = paddle.nn.Linear(4, 3)

    def forward(self, x):
        return self.linear(x)


class Recommended(Said):
    FULL_GRAPH = True


def before_save(static_layer):
    return static_layer.forward.main_program
