"""Row 10: a container is changed in a Tensor-dependent loop without being bound again."""

# ruff: noqa: SIM108 - the branches are what is shown

import numpy as np
import paddle

SPEC = [([2, 4], "float32"), ([], "int64")]
INPUTS = [
    (np.full((2, 4), 1.5, "float32"), np.array(3, "int64")),
    (np.full((2, 4), 1.5, "float32"), np.array(0, "int64")),
]


class Said(paddle.nn.Layer):
    def forward(self, x, count):
        result = {"sum": x}
        turn = paddle.zeros([], "int64")
        while turn < count:
            result["sum"] = result["sum"] + 1.0
            turn = turn + 1
        return result["sum"]


class SaidUpdate(paddle.nn.Layer):
    """Changed through a method."""

    def forward(self, x, count):
        result = {"sum": x}
        turn = paddle.zeros([], "int64")
        while turn < count:
            result.update(sum=result["sum"] + 1.0)
            turn = turn + 1
        return result["sum"]


class SaidBranch(paddle.nn.Layer):
    """Changed in a branch on a Tensor."""

    def forward(self, x, count):
        result = [x]
        if count > 1:
            result.append(x * 2.0)
        else:
            result.append(x * 3.0)
        return result[-1] * 1.5


class Recommended(paddle.nn.Layer):
    def forward(self, x, count):
        result = {"sum": x}
        turn = paddle.zeros([], "int64")
        while turn < count:
            result = result
            result["sum"] = result["sum"] + 1.0
            turn = turn + 1
        return result["sum"]


class RecommendedUpdate(Recommended):
    """The same form stands in for a method that changes the dict."""


class RecommendedBranch(paddle.nn.Layer):
    def forward(self, x, count):
        if count > 1:
            last = x * 2.0
        else:
            last = x * 3.0
        return last * 1.5
