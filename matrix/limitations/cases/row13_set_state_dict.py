"""Row 13: ``set_state_dict`` inside the converted function."""

import numpy as np
import paddle

SPEC = [([None, 4], "float32")]
INPUTS = [
    (np.arange(8, dtype="float32").reshape(2, 4),),
    (np.arange(8, dtype="float32").reshape(2, 4) + 5.0,),
]


def weights():
    return {
        "weight": np.arange(12, dtype="float32").reshape(4, 3),
        "bias": np.ones(3, dtype="float32"),
    }


class Said(paddle.nn.Layer):
    def __init__(self):
        super().__init__()
        self.linear = paddle.nn.Linear(4, 3)

    def forward(self, x):
        self.linear.set_state_dict(weights())
        return self.linear(x)


class Recommended(paddle.nn.Layer):
    def __init__(self):
        super().__init__()
        self.linear = paddle.nn.Linear(4, 3)
        self.linear.set_state_dict(weights())

    def forward(self, x):
        return self.linear(x)
