"""Row 26: raise where a Tensor, or a free dimension, decides."""

import numpy as np
import paddle

SPEC = [([None, 4], "float32")]
INPUTS = [(np.full((2, 4), 1.5, "float32"),), (np.full((3, 4), -1.5, "float32"),)]


class Said(paddle.nn.Layer):
    def forward(self, x):
        if x.mean() > 100:
            raise ValueError("too large")
        return x * 2.0


class SaidSize(paddle.nn.Layer):
    def forward(self, x):
        if x.shape[0] > 100:
            raise ValueError("too many rows")
        return x * 2.0


class SaidShape(paddle.nn.Layer):
    def forward(self, x):
        rows, columns = x.shape
        y = x * 2.0
        if y.shape != [rows, columns]:
            raise ValueError(f"got {y.shape}")
        return y


class Recommended(paddle.nn.Layer):
    """An assertion becomes an operator."""

    def forward(self, x):
        assert x.mean() < 100  # noqa: S101
        return x * 2.0


class RecommendedSize(paddle.nn.Layer):
    def forward(self, x):
        assert x.shape[0] < 100  # noqa: S101
        return x * 2.0


class RecommendedShape(paddle.nn.Layer):
    def forward(self, x):
        return x * 2.0
