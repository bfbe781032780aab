"""Row 1: the branches of an ``if`` on a Tensor give one name a Tensor and a bool."""

# ruff: noqa: SIM108 - the branches are what is shown

import numpy as np
import paddle

SPEC = [([None, 4], "float32")]
INPUTS = [(np.full((2, 4), 1.5, "float32"),), (np.full((2, 4), -1.5, "float32"),)]


class Said(paddle.nn.Layer):
    def forward(self, x):
        if paddle.mean(x) > 0:
            result = x * 2.0
        else:
            result = False
        return result


class Recommended(paddle.nn.Layer):
    def forward(self, x):
        result = x * 2.0
        if paddle.mean(x) > 0:
            found = paddle.to_tensor(True)
        else:
            found = paddle.to_tensor(False)
        return result, found


class SaidTypes(paddle.nn.Layer):
    """Tensors of different types."""

    def forward(self, x):
        if x.mean() > 0:
            y = paddle.cast(x, "int64")
        else:
            y = x
        return y * 2


class SaidText(paddle.nn.Layer):
    def forward(self, x):
        mode = "a"
        if x.mean() > 0:
            mode = "b"
        if mode == "a":
            return x * 2.0
        return x * 3.0


class SaidReturns(paddle.nn.Layer):
    def forward(self, x):
        if x.mean() > 0:
            return x * 2.0, x
        return x * 3.0


class RecommendedTypes(paddle.nn.Layer):
    def forward(self, x):
        if x.mean() > 0:
            y = paddle.cast(x, "int64").astype("float32")
        else:
            y = x * 1.0
        return y * 2


class RecommendedText(paddle.nn.Layer):
    def forward(self, x):
        if x.mean() > 0:
            return x * 3.0
        return x * 2.0


class RecommendedReturns(paddle.nn.Layer):
    def forward(self, x):
        if x.mean() > 0:
            return x * 2.0, x * 1.0
        return x * 3.0, x * 1.0


class SaidNumber(paddle.nn.Layer):
    """A number is a float64 on 2.6."""

    def forward(self, x):
        if x.mean() > 0:
            factor = 1.0
        else:
            factor = x.mean()
        return x * factor


class RecommendedNumber(paddle.nn.Layer):
    def forward(self, x):
        if x.mean() > 0:
            factor = paddle.full([], 1.0)
        else:
            factor = x.mean()
        return x * factor
