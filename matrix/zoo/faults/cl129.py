"""The trace of a diagonal beside the main one, by the later axis first."""

import paddle

from matrix.network import Input
from matrix.zoo.registry import Family, linear

family = Family("math")
family.op(
    "traced_backwards",
    lambda x: paddle.trace(x, 1, 2, 1),
    Input((None, 4, 6)),
    before=linear,
)
