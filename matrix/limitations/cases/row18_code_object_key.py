"""Row 18: a dict keyed by something that is not a basic type: a code object."""

import numpy as np
import paddle

SPEC = [([None, 4], "float32")]
INPUTS = [(np.full((2, 4), 1.5, "float32"),), (np.full((3, 4), -1.5, "float32"),)]


def double(x):
    return x * 2.0


class Said(paddle.nn.Layer):
    def forward(self, x):
        results = {}
        results[double.__code__] = double(x)
        return results[double.__code__] + 1.0


KNOWN = {double.__code__: 2.0}


class SaidGlobal(paddle.nn.Layer):
    """The dict is made outside and only read."""

    def forward(self, x):
        return x * KNOWN[double.__code__] + 1.0


class SaidLiteral(paddle.nn.Layer):
    """The dict is written as a literal."""

    def forward(self, x):
        results = {double.__code__: double(x), "other": x}
        return results[double.__code__] + results["other"]


class Recommended(paddle.nn.Layer):
    def forward(self, x):
        results = {}
        results["double"] = double(x)
        return results["double"] + 1.0


class RecommendedGlobal(Recommended):
    """The same form."""


class RecommendedLiteral(Recommended):
    """The same form."""
