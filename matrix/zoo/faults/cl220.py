"""A product times a number, where it or its weight is read otherwise, too."""

import paddle

from matrix.zoo.layers import Forked, Read
from matrix.zoo.registry import IMAGE, ROWS, Family

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

for name, compute in {
    "product_returned_and_read": lambda net, x: (lambda y: (y, paddle.tanh(y)))(net.product(x)),
    "product_of_a_vector_returned_and_read": lambda net, x: (lambda y: (y, paddle.tanh(y)))(
        paddle.matmul(x, net.linear.weight[0])
    ),
}.items():
    family.layer(name, lambda compute=compute: Forked(compute), ROWS)
