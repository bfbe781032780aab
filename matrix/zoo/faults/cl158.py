"""Lists of sizes that two operators read, and what is computed of such a size in between."""

from __future__ import annotations

from typing import Any

import paddle

from matrix.zoo.layers import Forked
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
