"""Vectors that a matrix product is told to transpose."""

from typing import Any

import paddle

from matrix.network import Input
from matrix.zoo.layers import computed
from matrix.zoo.registry import Family

family = Family("onednn")


def _transposed_vector_behind(x: Any) -> Any:
    return paddle.matmul(x, paddle.mean(x, axis=0), transpose_y=True) * 2.0


def _transposed_vector_before(x: Any) -> Any:
    return paddle.matmul(x, paddle.tanh(x), transpose_x=True) + 1.0


computed(family, _transposed_vector_behind)
computed(family, _transposed_vector_before, Input((6,)))
