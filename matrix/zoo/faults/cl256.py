"""Products that are added to something larger, and to what is as large or smaller."""

import paddle

from matrix.zoo.layers import Forked
from matrix.zoo.registry import ROWS, Family

family = Family("fusion")


def _query(x: paddle.Tensor) -> paddle.Tensor:
    return x.unsqueeze(1)


def _keys(x: paddle.Tensor) -> paddle.Tensor:
    return paddle.stack([x, x * 2.0, x + 1.0], axis=1)


for name, compute in {
    "product_added_to_wider": lambda net, x: paddle.tanh(net.product(_query(x)) + _keys(x)),
    "product_of_two_added_to_wider": lambda net, x: (
        net.linear(x).unsqueeze(1)
        + paddle.matmul(_query(x), _query(x), transpose_y=True)
        + paddle.matmul(_query(x), _query(x), transpose_y=True)
        + _keys(x)
    ),
    "two_products_of_other_sizes": lambda net, x: paddle.tanh(
        net.product(_query(x)) + net.product(_keys(x))
    ),
    "product_of_one_row_added": lambda net, x: paddle.tanh(net.product(x[:1]) + net.linear(x)),
    "product_by_vector_added": lambda net, x: (
        paddle.matmul(net.linear(x), net.linear.bias + 1.0) + x[:, 0]
    ),
    "product_added_to_narrower": lambda net, x: paddle.tanh(net.product(_keys(x)) + _query(x)),
    "product_added_to_as_wide": lambda net, x: net.product(net.linear(x)) + net.linear(x),
}.items():
    family.layer(name, lambda compute=compute: Forked(compute), ROWS)
