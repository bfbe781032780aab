"""Row 17: ``register_hook`` on a Tensor (here it doubles a gradient)."""

import numpy as np
import paddle

SPEC = [([None, 4], "float32")]
INPUTS = [
    (np.linspace(-2, 2, 8, dtype="float32").reshape(2, 4),),
    (np.linspace(-3, 3, 8, dtype="float32").reshape(2, 4),),
]
GRADIENT = True


class Said(paddle.nn.Layer):
    def forward(self, x):
        hidden = x * 3.0
        if not hidden.stop_gradient:
            hidden.register_hook(lambda gradient: gradient * 2.0)
        return hidden * hidden


class Recommended(paddle.nn.Layer):
    def forward(self, x):
        hidden = x * 3.0
        hidden = hidden * 2.0 - hidden.detach()  # the value of hidden, twice its gradient
        return hidden * hidden
