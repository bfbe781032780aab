"""Norms of parameters, and of what depends on no input."""

from __future__ import annotations

from typing import Any

import paddle
from paddle import nn
from paddle.nn import functional as F  # noqa: N812 (Paddle's own custom)

from matrix.zoo.registry import ROWS, Family

family = Family("parameters")


class Normed(nn.Layer):
    """A function of a table of learned rows, two norms and an input."""

    def __init__(self, compute: Any) -> None:
        super().__init__()
        self.table = nn.Embedding(9, 6)
        self.layer_norm, self.batch_norm = nn.LayerNorm(6), nn.BatchNorm1D(6)
        self.compute = paddle.jit.not_to_static(compute)

    def forward(self, x: Any) -> Any:
        return self.compute(self, x, self.table.weight)


for name, compute in {
    "norm_of_table": lambda net, x, table: paddle.matmul(x, net.layer_norm(table).t()),
    "norm_of_rows_of_table": lambda net, x, table: x + net.layer_norm(table[:4] * 2.0).sum(),
    "norm_without_weights": lambda net, x, table: x * F.layer_norm(table, 6)[3],
    "batch_norm_of_table": lambda net, x, table: x + net.batch_norm(table)[2],
    "norm_of_table_and_input": lambda net, x, table: net.layer_norm(x + table[0]),
}.items():
    family.layer(name, lambda compute=compute: Normed(compute), ROWS)


def _standardised(net: Any, x: Any, table: Any) -> Any:
    """As weights of convolutions are; 2.6 runs no such program that it saved."""
    zeros, ones = paddle.zeros([9]), paddle.ones([9])
    rows = table.reshape([1, 9, 6])
    measured = F.batch_norm(rows, zeros, ones, momentum=0.0, use_global_stats=False)
    return x + measured[0, 2]


family.layer("batch_norm_that_measures", lambda: Normed(_standardised), ROWS, since="3.0")
