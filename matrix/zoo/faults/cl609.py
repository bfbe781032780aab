"""Slices that begin before what they are taken of, and such as do not."""

from __future__ import annotations

from typing import Any

import paddle
from paddle import nn

from matrix.network import Input
from matrix.zoo.layers import Forked
from matrix.zoo.registry import ROWS, SEQUENCE, Family

family = Family("onednn")
for name, compute, given in (
    ("last_of_few", lambda net, x: net.linear(x)[:, -8:], ROWS),
    ("last_of_few_in_the_middle", lambda net, x: net.linear(x)[:, -9:-4], ROWS),
    ("last_of_few_of_first", lambda net, x: net.linear(x)[:, 0, -8:], SEQUENCE),
    ("last_of_enough", lambda net, x: net.linear(x)[:, -3:], ROWS),
):
    family.layer(name, lambda compute=compute: Forked(compute), given)


class Remembering(nn.Layer):
    """Keys and values of earlier calls in one tensor, which is empty in the first."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(6, 6)

    def forward(self, x: Any, past: Any) -> Any:
        keys = paddle.concat([past[0], self.linear(x)], 1)
        values = paddle.concat([past[1], x], 1)
        return nn.functional.softmax(x @ keys.transpose([0, 2, 1])) @ values, keys


PAST = Input((2, None, None, 6))
family.layer(
    "remembering_nothing",
    Remembering,
    SEQUENCE,
    PAST,
    shapes=(((2, 3, 6), (2, 2, 4, 6)), ((1, 3, 6), (2, 1, 0, 6))),
)
