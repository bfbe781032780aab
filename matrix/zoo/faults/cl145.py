"""One tensor that is broadcast, and two."""

import paddle

from matrix.zoo.layers import Forked
from matrix.zoo.registry import ROWS, Family

family = Family("forks")
family.layer(
    "broadcast_of_two",
    lambda: Forked(lambda net, x: paddle.broadcast_tensors([net.linear(x), x[:1]])),
    ROWS,
)
