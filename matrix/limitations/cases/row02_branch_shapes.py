"""Row 2: the branches of an ``if`` on a Tensor give one name Tensors of different shape."""

# ruff: noqa: SIM108 - the branches are what is shown

import numpy as np
import paddle

SPEC = [([2, 4], "float32")]
INPUTS = [
    (np.arange(8, dtype="float32").reshape(2, 4),),
    (-np.arange(8, dtype="float32").reshape(2, 4),),
]


class Said(paddle.nn.Layer):
    def forward(self, x):
        if paddle.mean(x) > 0:
            kept = x[:, :2]
        else:
            kept = x
        return kept.reshape([kept.shape[0] * kept.shape[1]]) * 2.0


class SaidRank(paddle.nn.Layer):
    """The same with another number of dimensions."""

    def forward(self, x):
        if paddle.mean(x) > 0:
            kept = x[0]
        else:
            kept = x
        return kept * 2.0


class Recommended(paddle.nn.Layer):
    def forward(self, x):
        if paddle.mean(x) > 0:
            kept = paddle.concat([x[:, :2], paddle.zeros_like(x[:, 2:])], axis=1)
        else:
            kept = x
        return kept.reshape([kept.shape[0] * kept.shape[1]]) * 2.0


class RecommendedRank(paddle.nn.Layer):
    def forward(self, x):
        if paddle.mean(x) > 0:
            kept = x[0:1]
        else:
            kept = x[0:1] + 0.0 * x[1:2]
        return kept * 2.0
