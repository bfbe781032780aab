"""A number without dimensions."""

import paddle

from matrix.zoo.layers import Read
from matrix.zoo.registry import IMAGE, Family

family = Family("fusion")
family.layer(
    "number_without_dimensions",
    lambda: Read(lambda net, x: net.convolution(x) + paddle.ones([])),
    IMAGE,
)
