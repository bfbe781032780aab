"""An einsum of another one's result."""

import paddle

from matrix.network import Input
from matrix.zoo.registry import Family

family = Family("linear algebra")


def _in_a_row(x, y):
    return paddle.einsum("bki,bik->bk", paddle.einsum("bij,bkj->bki", x, y), x[:, :, :4])


family.op("einsum_of_einsum", _in_a_row, Input((None, 4, 6)), Input((None, 4, 6)))
