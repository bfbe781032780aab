"""Sizes with and without dimensions in one list."""

from __future__ import annotations

from typing import Any

import paddle

from matrix.zoo.layers import Forked
from matrix.zoo.registry import SEQUENCE, Family

family = Family("shape")


def _sizes(x: Any) -> list[Any]:
    return [paddle.shape(x)[0:1], paddle.shape(x)[1], 6]


for name, compute in {
    "full_of_mixed_sizes": lambda net, x: net.linear(x) + paddle.full(_sizes(x), 2.0),
    "zeros_of_mixed_sizes": lambda net, x: net.linear(x) * (1.0 - paddle.zeros(_sizes(x))),
    "expand_to_mixed_sizes": lambda net, x: x + paddle.expand(net.linear.bias, _sizes(x)),
}.items():
    family.layer(name, lambda compute=compute: Forked(compute), SEQUENCE)
