"""Slices that go backwards, to an end that may lie before the first element."""

from __future__ import annotations

import paddle

from matrix.zoo.layers import Forked
from matrix.zoo.registry import SEQUENCE, Family

family = Family("indexing")

for name, compute in {
    "last_turned_round": lambda net, x: net.linear(x)[:, :-4:-1] * 2.0,
    "turned_past_the_front": lambda net, x: net.linear(x)[:, -1:-100:-2] + 1.0,
    "turned_from_within": lambda net, x: net.linear(x)[:, 2:-9:-1] + x[:, 2::-1].sum(),
    "turned_along_two_axes": lambda net, x: paddle.strided_slice(
        net.linear(x), [0, 1], [5, -1], [-9, -7], [-1, -2]
    ),
}.items():
    family.layer(name, lambda compute=compute: Forked(compute), SEQUENCE)
