"""Row 23 (found here, not in the guide): a keyword-only parameter is left to its default.

3.0 and 3.1 build the converted function anew (``paddle/jit/dy2static/utils.py``) and hand over
``__defaults__``, but not ``__kwdefaults__``.
"""

import numpy as np
import paddle

SPEC = [([None, 4], "float32")]
INPUTS = [(np.full((2, 4), 1.5, "float32"),), (np.full((3, 4), -1.5, "float32"),)]


def scaled(x, *, scale=2.0):
    return x * scale


def scaled_anyhow(x, scale=2.0):
    return x * scale


class Said(paddle.nn.Layer):
    def forward(self, x):
        return scaled(x)


class Recommended(paddle.nn.Layer):
    def forward(self, x):
        return scaled_anyhow(x)


class SaidMethod(paddle.nn.Layer):
    def forward(self, x):
        return self.scaled(x)

    def scaled(self, x, *, scale=2.0):
        return x * scale


class RecommendedMethod(paddle.nn.Layer):
    def forward(self, x):
        return self.scaled(x)

    def scaled(self, x, scale=2.0):
        return x * scale


class SaidForward(paddle.nn.Layer):
    def forward(self, x, *, scale=2.0):
        return x * scale


class RecommendedForward(paddle.nn.Layer):
    def forward(self, x, scale=2.0):
        return x * scale


class SaidInner(paddle.nn.Layer):
    """A function inside of the converted one."""

    def forward(self, x):
        def inner(value, *, scale=2.0):
            return value * scale

        return inner(x)


class RecommendedInner(paddle.nn.Layer):
    def forward(self, x):
        def inner(value, scale=2.0):
            return value * scale

        return inner(x)
