"""Outer products with a transposed operand, and one without."""

import paddle

from matrix.zoo.layers import Forked
from matrix.zoo.registry import ROWS, Family

family = Family("fusion")


def _column(x: paddle.Tensor) -> paddle.Tensor:
    return x.unsqueeze(-1)


for name, compute in {
    "outer_transposed": lambda net, x: paddle.matmul(
        _column(net.linear(x)), _column(x), transpose_y=True
    ),
    "outer_by_transpose": lambda net, x: paddle.matmul(
        _column(net.linear(x)), paddle.transpose(_column(x), [0, 2, 1])
    ),
    "outer_and_relu": lambda net, x: paddle.nn.functional.relu(
        paddle.matmul(_column(net.linear(x)), _column(x), transpose_y=True)
    ),
    "mask_of_columns": lambda net, x: paddle.nn.functional.softmax(
        net.linear(x).unsqueeze(1)
        - 1e4 * (1.0 - paddle.matmul(_column(x), _column(x), transpose_y=True))
    ),
    "outer_of_slices": lambda net, x: paddle.matmul(
        paddle.transpose(net.linear(x)[:1], [1, 0]),
        paddle.transpose(x[:1], [1, 0]),
        transpose_y=True,
    ),
    "outer_as_it_is": lambda net, x: paddle.matmul(_column(net.linear(x)), x.unsqueeze(1)),
}.items():
    family.layer(name, lambda compute=compute: Forked(compute), ROWS)
