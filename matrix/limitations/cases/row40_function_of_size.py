"""Row 40: functions of Python that choose between numbers which a program does not have."""

import numpy as np
import paddle

SPEC = [([None, 4], "float32")]
INPUTS = [(np.full((4, 4), 0.5, "float32"),), (np.full((8, 4), -1.5, "float32"),)]


class Said(paddle.nn.Layer):
    def forward(self, x):
        return x[: max(x.shape[0] - 3, 1)] * 2.0


class SaidRound(paddle.nn.Layer):
    def forward(self, x):
        return x[: round(x.shape[0] / 2)] * 2.0


class SaidAny(paddle.nn.Layer):
    def forward(self, x):
        if any([x.max() > 1.0, x.min() < -1.0]):
            return x * 2.0
        return x * 3.0


class Recommended(paddle.nn.Layer):
    def forward(self, x):
        size = paddle.to_tensor(x.shape[0] - 3)
        return x[: paddle.maximum(size, paddle.ones_like(size))] * 2.0


class RecommendedRound(paddle.nn.Layer):
    def forward(self, x):
        return x[: x.shape[0] // 2] * 2.0


class RecommendedAny(paddle.nn.Layer):
    def forward(self, x):
        if paddle.logical_or(x.max() > 1.0, x.min() < -1.0):
            return x * 2.0
        return x * 3.0
