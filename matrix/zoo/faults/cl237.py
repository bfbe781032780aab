"""Concatenations that begin with a parameter, and one that ends with it."""

import paddle

from matrix.zoo.layers import Forked
from matrix.zoo.registry import ROWS, Family

family = Family("fusion")
family.layer(
    "concat_of_parameter",
    lambda: Forked(lambda net, x: paddle.concat([net.linear.weight, net.linear(x)])),
    ROWS,
)
family.layer(
    "concat_ends_in_parameter",
    lambda: Forked(lambda net, x: paddle.concat([net.linear(x), net.linear.weight])),
    ROWS,
)
