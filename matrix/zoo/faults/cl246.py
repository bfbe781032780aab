"""Axes in an order that counts from the end."""

import paddle

from matrix.network import Input
from matrix.zoo.registry import Family, linear

family = Family("manipulation")
family.op(
    "transposed_from_the_end",
    lambda x: paddle.transpose(x, [1, 0, -1]),
    Input((None, 4, 6)),
    before=linear,
)
