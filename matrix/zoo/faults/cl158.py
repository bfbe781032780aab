"""Lists of sizes that two operators read, and what is computed of such a size in between."""

from __future__ import annotations

from typing import Any

import paddle

from matrix.network import Input
from matrix.zoo.layers import Converted, Forked
from matrix.zoo.registry import SEQUENCE, Family

family = Family("shape")


def _sizes(x: Any) -> tuple[Any, Any]:
    return paddle.shape(x)[0], paddle.shape(x)[1]


def _reshaped_twice(net: Any, x: Any) -> Any:
    rows, steps = _sizes(x)
    first = paddle.reshape(net.linear(x), [steps, 6, rows])
    fewer = paddle.scale(rows, 1.0, -2.0)
    return first + paddle.reshape(paddle.tanh(x), [steps, 6, rows]), fewer


def _reshaped_thrice(net: Any, x: Any) -> Any:
    rows, steps = _sizes(x)
    first = paddle.reshape(net.linear(x), [steps, 6, rows])
    fewer = paddle.scale(rows, 1.0, -2.0)
    second = paddle.reshape(paddle.tanh(x), [steps, 6, rows])
    double = paddle.scale(steps, 2.0)
    return first + second * paddle.reshape(x, [steps, 6, rows]), fewer, double


def _reshaped_and_expanded(net: Any, x: Any) -> Any:
    rows, steps = _sizes(x)
    first = paddle.reshape(net.linear(x), [rows, steps, 6])
    fewer = paddle.scale(rows, 1.0, -2.0)
    return first + paddle.expand(paddle.tanh(x)[:1], [rows, steps, 6]), fewer


def _reshaped_around_a_product(net: Any, x: Any) -> Any:
    rows, steps = _sizes(x)
    first = paddle.reshape(net.linear(x), [steps, 6, rows])
    all_rows = rows * steps
    return first + paddle.reshape(paddle.tanh(x), [steps, 6, rows]), all_rows


for name, compute in {
    "sizes_read_twice": _reshaped_twice,
    "sizes_read_thrice": _reshaped_thrice,
    "sizes_read_to_expand": _reshaped_and_expanded,
    "sizes_read_around_product": _reshaped_around_a_product,
}.items():
    family.layer(name, lambda compute=compute: Forked(compute), SEQUENCE)


def _two_written_in_a_loop(net: Any, x: Any) -> Any:
    """The loop's own index stands in both lists; SLANet writes its structure and places so."""
    some, others = paddle.zeros([3, 4, 6]), paddle.zeros([3, 4, 6])
    index, last = paddle.to_tensor(0, dtype="int64"), paddle.to_tensor(3, dtype="int64")
    while index < last + 1:
        some[:, index, :] = net.linear(x)
        others[:, index, :] = x
        index += 1
    return some, others


def _written_twice_in_a_loop(net: Any, x: Any) -> Any:
    rows = paddle.zeros([3, 5, 6])
    index, last = paddle.to_tensor(0, dtype="int64"), paddle.to_tensor(3, dtype="int64")
    while index < last + 1:
        rows[:, index, :] = net.linear(x)
        after = index + 1
        rows[:, after, :] = x
        index += 1
    return rows


for name, compute in {
    "two_written_in_a_loop": _two_written_in_a_loop,
    "written_twice_in_a_loop": _written_twice_in_a_loop,
}.items():
    family.layer(name, lambda compute=compute: Converted(compute), Input((3, 6)))
