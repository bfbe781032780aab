"""Row 19: arithmetic on an unknown dimension that ends in a reshape (batch × heads)."""

import numpy as np
import paddle

SPEC = [([None, 8, 6], "float32")]
INPUTS = [
    (np.arange(96, dtype="float32").reshape(2, 8, 6),),
    (np.arange(144, dtype="float32").reshape(3, 8, 6),),
]
CALL_WITH_SPEC = True


class Said(paddle.nn.Layer):
    def forward(self, x):
        batch = x.shape[0]
        return paddle.reshape(x, [batch * 8, 2, 3]).sum(axis=-1)


@paddle.jit.not_to_static
def folded(x):
    batch = x.shape[0]
    return paddle.reshape(x, [batch * 8, 2, 3]).sum(axis=-1)


@paddle.jit.not_to_static
def folded_at_run_time(x):
    batch = paddle.shape(x)[0]
    return paddle.reshape(x, [batch * 8, 2, 3]).sum(axis=-1)


class SaidNotConverted(paddle.nn.Layer):
    """In a function that conversion leaves alone, the dimension is the number -1."""

    def forward(self, x):
        return folded(x)


class Recommended(paddle.nn.Layer):
    def forward(self, x):
        batch = paddle.shape(x)[0]
        return paddle.reshape(x, [batch * 8, 2, 3]).sum(axis=-1)


class RecommendedNotConverted(paddle.nn.Layer):
    def forward(self, x):
        return folded_at_run_time(x)
