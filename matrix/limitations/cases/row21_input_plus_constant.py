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
