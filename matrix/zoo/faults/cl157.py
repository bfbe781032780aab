"""Layers that keep what they computed: a value stored beside the parameters, and computed anew."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import paddle
from paddle import nn

from matrix.zoo.registry import ROWS, Family, Input

family = Family("state")


class Keeping(nn.Layer):
    """``compute`` reads and writes ``kept``, which is nothing at first."""

    def __init__(self, compute: Callable[..., Any]) -> None:
        super().__init__()
        self.linear, self.other = nn.Linear(6, 6), nn.Linear(6, 6)
        self.kept = None
        self.compute = compute

    def forward(self, x: Any) -> Any:
        return self.compute(self, x)


def _weights(net: Any, x: Any) -> Any:
    net.kept = nn.functional.softmax(net.linear(x))
    return net.other(x) * net.kept


def _weights_of_each(net: Any, x: Any) -> Any:
    net.kept = paddle.matmul(net.linear(x), x, transpose_y=True)
    return paddle.matmul(nn.functional.softmax(net.kept), net.other(x))


def _weights_and_result(net: Any, x: Any) -> Any:
    net.kept = nn.functional.softmax(net.linear(x))
    return net.other(x) * net.kept, net.kept


def _twice(net: Any, x: Any) -> Any:
    net.kept = net.linear(x)
    net.kept = paddle.tanh(net.kept) + x
    return net.other(net.kept)


class Branch(Keeping):
    """In a method of its own, so that the branch is converted."""

    def forward(self, x: Any) -> Any:
        self.kept = nn.functional.softmax(self.linear(x))
        y = self.other(x)
        if x.mean() > 0:
            y = y * self.kept
        return y + self.kept


# From 3.0 on, Paddle reads what was kept at first, and loses what is computed.
for name, build, given in (
    ("kept_weights", lambda: Keeping(_weights), ROWS),
    ("kept_weights_of_each", lambda: Keeping(_weights_of_each), ROWS),
    ("kept_and_returned", lambda: Keeping(_weights_and_result), ROWS),
    ("kept_twice", lambda: Keeping(_twice), ROWS),
    ("kept_before_branch", lambda: Branch(_weights), ROWS),
    ("kept_of_fixed_size", lambda: Keeping(_weights), Input((4, 6))),
):
    family.layer(name, build, given, savers=("2.6.2",))
