"""Outer products with a transposed operand, and one without."""

import paddle

from matrix.zoo.layers import Forked
from matrix.zoo.registry import ROWS, Family

family = Family("fusion")


def _column(x: paddle.Tensor) -> paddle.Tensor:
    return x.unsqueeze(-1)


def _first_of_a_run(x: paddle.Tensor) -> paddle.Tensor:
    """The first column, which only a run tells to be one."""
    return paddle.slice(x, [1], [0], [paddle.shape(x)[1] - 5])


def _brought(x: paddle.Tensor) -> paddle.Tensor:
    return paddle.transpose(paddle.reshape(x, [-1, 1, 3, 2]), [0, 3, 1, 2])


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
    "outer_of_transposed_column": lambda net, x: (
        paddle.tanh(paddle.matmul(_column(net.linear(x)), paddle.transpose(_column(x), [0, 2, 1])))
        + x.unsqueeze(1)
    ),
    "outer_of_measured_slices": lambda net, x: paddle.matmul(
        _first_of_a_run(net.linear(x)), _first_of_a_run(x), transpose_y=True
    ),
    "outer_of_brought_axis": lambda net, x: paddle.matmul(
        paddle.reshape(net.linear(x), [-1, 2, 3, 1]), _brought(x)
    ),
    "outer_of_heads": lambda net, x: paddle.matmul(
        paddle.transpose(paddle.reshape(net.linear(x), [-1, 3, 2, 1]), [0, 2, 1, 3]),
        paddle.transpose(paddle.reshape(x, [-1, 3, 2, 1]), [0, 2, 1, 3]),
        transpose_y=True,
    ),
    "outer_as_it_is": lambda net, x: paddle.matmul(_column(net.linear(x)), x.unsqueeze(1)),
}.items():
    family.layer(name, lambda compute=compute: Forked(compute), ROWS)
