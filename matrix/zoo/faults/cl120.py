"""An assignment's result keeps what the call before left in it."""

from typing import Any

import paddle

from matrix.zoo.layers import computed
from matrix.zoo.registry import Family

family = Family("views")


def _put(y: Any, value: Any) -> Any:
    indices = paddle.to_tensor([0, 1, 0]), paddle.to_tensor([1, 1, 1])
    return paddle.index_put(y, indices, value.sum(0)[:3], accumulate=True)


def _put_into_zeros(x: Any) -> Any:
    return _put(paddle.zeros([4, 6]), x)


def _put_into_input(x: Any) -> Any:
    return _put(x, x), x + 1.0


def _put_twice_into_one(x: Any) -> Any:
    y = x * 2.0
    return _put(y, x), _put(y, x + 1.0)


def _put_and_cosine(x: Any) -> Any:
    z = _put(paddle.zeros([4, 6]), x)
    return z, paddle.cos(z)


def _put_in_loop(x: Any) -> Any:
    i, y = paddle.zeros([], "int64"), x * 2.0
    while i < 3:
        y = _put(y, x)
        i = i + 1
    return y


def _put_in_branch(x: Any) -> Any:
    if x.sum() > -100.0:  # noqa: SIM108 (a branch is meant)
        y = _put(x, x)
    else:
        y = x * 2.0
    return y


def _masked_assignment(x: Any) -> Any:
    y = x * 2.0
    y[y > 1.0] = 0.0
    return y


def _assigned_rows(x: Any) -> Any:
    y = paddle.ones([4, 6])
    y[paddle.to_tensor([1, 2])] = x.sum(0)
    return paddle.matmul(y, y, transpose_y=True)


for one in (_put_into_zeros, _put_into_input, _put_and_cosine, _put_in_loop, _put_in_branch):
    computed(family, one)
computed(family, _put_twice_into_one, layer=True)
computed(family, _masked_assignment, layer=True)
computed(family, _assigned_rows)
