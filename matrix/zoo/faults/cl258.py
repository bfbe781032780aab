"""Products of heads with themselves, and with others that are computed alike."""

import paddle

from matrix.zoo.layers import Forked
from matrix.zoo.registry import ROWS, Family

family = Family("fusion")


def _heads(x: paddle.Tensor) -> paddle.Tensor:
    return paddle.transpose(paddle.reshape(x, [0, 3, 2]), [0, 2, 1])


def _with_itself(net: Forked, x: paddle.Tensor) -> paddle.Tensor:
    heads = _heads(net.linear(x))
    return paddle.matmul(heads, heads, transpose_y=True)


family.layer("heads_with_themselves", lambda: Forked(_with_itself), ROWS)
family.layer(
    "heads_with_their_like",
    lambda: Forked(
        lambda net, x: paddle.matmul(_heads(net.linear(x)), _heads(x), transpose_y=True)
    ),
    ROWS,
)
