"""Layers of Python (``PyLayer``): functions whose gradients are written by hand."""

from __future__ import annotations

from typing import Any

import paddle
from paddle.autograd import PyLayer

from matrix.zoo.layers import Converted
from matrix.zoo.registry import SEQUENCE, Family

family = Family("python_layer")


class Rounded(PyLayer):
    """A straight-through estimator."""

    @staticmethod
    def forward(ctx: Any, x: Any, scale: float) -> Any:
        return paddle.round(x * scale) / scale

    @staticmethod
    def backward(ctx: Any, gradient: Any) -> Any:
        return gradient


class Turned(PyLayer):
    """The value itself, and the gradient turned round."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        return x

    @staticmethod
    def backward(ctx: Any, gradient: Any) -> Any:
        return -gradient


class Parts(PyLayer):
    """Two results, one of another layer."""

    @staticmethod
    def forward(ctx: Any, x: Any, y: Any) -> Any:
        kept = paddle.tanh(x)
        ctx.save_for_backward(kept)
        return kept * y, kept

    @staticmethod
    def backward(ctx: Any, first: Any, second: Any) -> Any:
        (kept,) = ctx.saved_tensor()
        return first + second, first * kept


class Nested(PyLayer):
    """One in another."""

    @staticmethod
    def forward(ctx: Any, x: Any, y: Any) -> Any:
        return Turned.apply(x * 2.0) + y

    @staticmethod
    def backward(ctx: Any, gradient: Any) -> Any:
        return gradient, gradient


def _in_another(net: Any, x: Any) -> Any:
    return Nested.apply(net.linear(x), x) * 1.5


def _in_a_branch(net: Any, x: Any) -> Any:
    y = net.linear(x)
    if paddle.shape(x)[1] > 3:
        y = y * 3.7
        y = Rounded.apply(y, 8.0)
    else:
        y = Turned.apply(y) + 1.0
    return y


def _in_a_loop(net: Any, x: Any) -> Any:
    y, n = net.linear(x), paddle.zeros([], "int64")
    while n < paddle.shape(x)[1]:
        y, _ = Parts.apply(y, x)
        n = n + 1
    return y


def _rounded(net: Any, x: Any) -> Any:
    return Rounded.apply(net.linear(x) * 3.3, 8.0)


def _turned(net: Any, x: Any) -> Any:
    return Turned.apply(net.linear(x))


def _in_line(net: Any, x: Any) -> Any:
    y, _ = Parts.apply(Turned.apply(Turned.apply(x)), net.linear(x))
    return y


def _of_parts(net: Any, x: Any) -> Any:
    return Parts.apply(net.linear(x), x)


# Not lambdas, which Paddle does not convert.
for name, compute in {
    "rounded_straight_through": _rounded,
    "gradient_turned": _turned,
    "python_layers_in_line": _in_line,
    "python_layer_of_parts": _of_parts,
    "python_layer_in_another": _in_another,
    "python_layer_in_a_branch": _in_a_branch,
    "python_layer_in_a_loop": _in_a_loop,
}.items():
    family.layer(name, lambda compute=compute: Converted(compute), SEQUENCE)
