"""Choices between values of other element types, and what has to hold in a branch."""

from __future__ import annotations

from typing import Any

import paddle

from matrix.zoo.layers import Converted
from matrix.zoo.registry import SEQUENCE, Family

family = Family("branches")


def _nothing_or_sum(net: Any, x: Any) -> Any:
    y = net.linear(x)
    chosen = paddle.masked_select(y, y > 0.3)
    total = 0
    if chosen.shape[0] > 0:
        total = chosen.sum()
    return y * 2.0 + total


def _one_or_size(net: Any, x: Any) -> Any:
    length = x.shape[1]
    parts = 1
    if length > 4:
        parts = length // 2
    return net.linear(x).sum(1) / parts


def _one_or_factor(net: Any, x: Any) -> Any:
    y = net.linear(x)
    factor = 1
    if y.mean() > 0.0:
        factor = y.mean() + 1.0
    return y * factor


def _held_to(net: Any, x: Any) -> Any:
    """Of a condition without a message nothing is told: PIR has a list of nothing for it."""
    assert x.shape[0] > 0  # noqa: S101 (what is tried)
    y = net.linear(x)
    if y.sum() > -1e9:
        assert paddle.all(y < 1e9)  # noqa: S101
        y = y * 2.0
    return y


# Not lambdas, which Paddle does not convert.
for name, compute in {
    "nothing_or_a_sum": _nothing_or_sum,
    "one_or_a_size": _one_or_size,
    "one_or_a_factor": _one_or_factor,
    "held_to_in_a_branch": _held_to,
}.items():
    family.layer(name, lambda compute=compute: Converted(compute), SEQUENCE)
