"""A product times a number, where it or its weight is read otherwise, too."""

import paddle

from matrix.zoo.layers import Read
from matrix.zoo.registry import IMAGE, Family

family = Family("fusion")
family.layer(
    "weight_read_twice",
    lambda: Read(lambda net, x: paddle.matmul(x, net.linear.weight) * 2.0 + net.linear.weight),
    IMAGE,
)
family.layer(
    "product_read_twice",
    lambda: Read(
        lambda net, x: (lambda y: y * 2.0 + paddle.exp(y))(paddle.matmul(x, net.linear.weight))
    ),
    IMAGE,
)
