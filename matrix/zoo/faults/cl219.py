"""A division of a smaller tensor by a larger one."""

import paddle

from matrix.zoo.layers import Read
from matrix.zoo.registry import IMAGE, Family

family = Family("fusion")
family.layer(
    "one_by_convolution",
    lambda: Read(lambda net, x: paddle.ones([1]) / (paddle.abs(net.convolution(x)) + 1.0)),
    IMAGE,
)
family.layer(
    "twice_one_by_convolution",
    lambda: Read(lambda net, x: 2.0 * (paddle.ones([1]) / (paddle.abs(net.convolution(x)) + 1.0))),
    IMAGE,
)
