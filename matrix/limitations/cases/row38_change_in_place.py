"""Row 38: a change in place, whose result nobody takes."""

import numpy as np
import paddle
from paddle.nn import functional

SPEC = [([None, 4], "float32")]
INPUTS = [(np.full((2, 4), 0.5, "float32"),), (np.full((3, 4), -1.5, "float32"),)]


class Said(paddle.nn.Layer):
    def forward(self, x):
        y = x * 2.0
        y.exp_()
        return y


class SaidFunction(paddle.nn.Layer):
    def forward(self, x):
        y = x * 2.0
        functional.relu_(y)
        return y


class SaidPart(paddle.nn.Layer):
    def forward(self, x):
        y = x * 2.0
        y[:, 1:].clip_(0.0, 1.5)
        return y


class SaidTensorsOnly(paddle.nn.Layer):
    def forward(self, x):
        y = x * 2.0
        y.fill_(3.0)
        return x + y


class Recommended(paddle.nn.Layer):
    def forward(self, x):
        y = x * 2.0
        return paddle.exp(y)


class RecommendedFunction(paddle.nn.Layer):
    def forward(self, x):
        y = x * 2.0
        return functional.relu(y)


class RecommendedPart(paddle.nn.Layer):
    def forward(self, x):
        y = x * 2.0
        y[:, 1:] = y[:, 1:].clip(0.0, 1.5)
        return y


class RecommendedTensorsOnly(paddle.nn.Layer):
    def forward(self, x):
        y = paddle.full_like(x, 3.0)
        return x + y
