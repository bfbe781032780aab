"""Products of heads with themselves, and with others that are computed alike."""

from typing import Any

import paddle

from matrix.zoo.layers import Forked, computed
from matrix.zoo.registry import IMAGE, ROWS, Family

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


def _gram(x: Any) -> Any:
    """As channels attend to each other, and style is told."""
    rows = paddle.reshape(x, [0, 3, 36])
    return paddle.matmul(rows, paddle.transpose(rows, [0, 2, 1]))


def _gram_of_heads(x: Any) -> Any:
    heads = paddle.reshape(x, [0, 2, 2, 27])
    return paddle.matmul(paddle.transpose(heads, [0, 1, 3, 2]), heads)


computed(family, _gram, IMAGE)
computed(family, _gram_of_heads, IMAGE)
