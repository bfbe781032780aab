"""Matrix products of sums that are stretched both ways, and of such as stay in order."""

from __future__ import annotations

import paddle
from paddle.nn import functional

from matrix.zoo.layers import Forked
from matrix.zoo.registry import ROWS, Family

family = Family("fusion")


def _pairs(x: paddle.Tensor, places: int) -> paddle.Tensor:
    """Of two rows and as many columns, each of three numbers."""
    return x.reshape([-1, 2, 1, 3]) + x[:, :places].reshape([-1, 1, places, 1])


def _rows(net: Forked, x: paddle.Tensor, last: int) -> paddle.Tensor:
    """Each row beside four others, which are of one number or of as many as a row."""
    return x.unsqueeze(1) + net.linear.weight[:4, :last].unsqueeze(0)


for name, compute in {
    "stretched_rows_by_a_layer": lambda net, x: net.linear(_rows(net, x, 1)),
    "stretched_rows_in_order": lambda net, x: net.linear(_rows(net, x, 6)),
    "stretched_rows_by_as_many_axes": lambda net, x: paddle.matmul(
        _rows(net, x, 1), paddle.tanh(net.linear.weight).unsqueeze(0)
    ),
    "pairs_by_matrix": lambda net, x: paddle.matmul(_pairs(x, 4), net.linear.weight[:3]),
    "attention_to_pairs": lambda net, x: paddle.matmul(
        functional.softmax(functional.tanh(_pairs(x, 4))), net.linear.weight[:3]
    ),
    "pairs_in_order": lambda net, x: paddle.matmul(_pairs(x, 2), net.linear.weight[:3]),
}.items():
    family.layer(name, lambda compute=compute: Forked(compute), ROWS)
