"""Row 21 (found here, not in the guide): an output is an input plus a constant.

On 3.x ``paddle.jit.save`` takes a final ``scale`` by 1 for a mere rename (``normalize_pir_program``
in ``paddle/static/pir_io.py``) and leaves it out with the number that it adds.
"""

import numpy as np
import paddle

SPEC = [([None, 4], "float32")]
INPUTS = [(np.full((2, 4), 1.5, "float32"),), (np.full((3, 4), -1.5, "float32"),)]


class Said(paddle.nn.Layer):
    def forward(self, x):
        return x + 1.0


class Recommended(paddle.nn.Layer):
    def forward(self, x):
        return x + paddle.full([1], 1.0)


class SaidIntermediate(paddle.nn.Layer):
    """The same on a value that is an output too."""

    def forward(self, x):
        doubled = x * 2.0
        return doubled, doubled + 1.0


class RecommendedIntermediate(paddle.nn.Layer):
    def forward(self, x):
        doubled = x * 2.0
        return doubled, doubled + paddle.full([1], 1.0)


SHIFT = 0.5


def shifted(x, by=0.5):
    return x + by


class SaidNamed(paddle.nn.Layer):
    def forward(self, x):
        return {"value": x - SHIFT}


class SaidAttribute(paddle.nn.Layer):
    def __init__(self):
        super().__init__()
        self.shift = 0.5

    def forward(self, x):
        return x + self.shift


class SaidInPlace(paddle.nn.Layer):
    def forward(self, x):
        x += 1
        return x


class SaidScale(paddle.nn.Layer):
    def forward(self, x):
        return paddle.scale(x, 1.0, bias=0.5)


class SaidFunction(paddle.nn.Layer):
    def forward(self, x):
        return shifted(x)
