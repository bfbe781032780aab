"""Lists of values that two operators read."""

from __future__ import annotations

import paddle

from matrix.zoo.layers import Forked
from matrix.zoo.registry import ROWS, Family

family = Family("onednn")


def _both(first, second):
    def compute(net, x):
        values = [net.linear(x), net.linear(x) * 2.0, x]
        return first(values), second(values)

    return lambda: Forked(compute)


def _chosen(values):
    return paddle.multiplex(values, paddle.zeros_like(values[0])[:, :1].astype("int32"))


for name, first, second in (
    ("chosen_and_added", paddle.add_n, _chosen),
    ("stretched_and_joined", paddle.concat, lambda values: paddle.broadcast_tensors(values)[1]),
    ("added_and_stacked", paddle.add_n, paddle.stack),
):
    family.layer(name, _both(first, second), ROWS)
