"""Rows that are repeated by an axis that counts from the end, and from the start."""

import paddle

from matrix.zoo.layers import Forked
from matrix.zoo.registry import ROWS, Family

family = Family("forks")
for name, axis in (("end", -1), ("start", 1)):
    family.layer(
        f"repeated_from_the_{name}",
        lambda axis=axis: Forked(
            lambda net, x: paddle.repeat_interleave(net.linear(x), 2, axis=axis)
        ),
        ROWS,
    )
