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


for name, compute in {
    "pairs_by_matrix": lambda net, x: paddle.matmul(_pairs(x, 4), net.linear.weight[:3]),
    "attention_to_pairs": lambda net, x: paddle.matmul(
        functional.softmax(functional.tanh(_pairs(x, 4))), net.linear.weight[:3]
    ),
    "pairs_in_order": lambda net, x: paddle.matmul(_pairs(x, 2), net.linear.weight[:3]),
}.items():
    family.layer(name, lambda compute=compute: Forked(compute), ROWS)
