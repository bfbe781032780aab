"""Branches and loops whose results, or last rounds, operators outside of oneDNN read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import paddle
from paddle import nn
from paddle.nn import functional as F  # noqa: N812 (Paddle's own custom)

from matrix.network import Input
from matrix.zoo.registry import IMAGE, ROWS, Family

family = Family("onednn")


class Flow(nn.Layer):
    """A layer, a branch or a loop of it, and a function of what that gives back."""

    def __init__(self, flow: Callable[[Any], Any], compute: Callable[[Any], Any]) -> None:
        super().__init__()
        self.linear = nn.Linear(6, 6)
        self.compute = paddle.jit.not_to_static(lambda x: compute(flow(x)))

    def forward(self, x: Any) -> Any:
        return self.compute(self.linear(x))


def _branch(x: Any) -> Any:
    return paddle.static.nn.cond(paddle.mean(x) > 0.0, lambda: x * 2.0, lambda: F.relu(x) + 0.1)


def _loop(x: Any) -> Any:
    start = [paddle.zeros([1], "int64"), paddle.assign(x)]
    return paddle.static.nn.while_loop(
        lambda count, state: count < 2,
        lambda count, state: [count + 1, paddle.tanh(state) + 0.1],
        start,
    )[1]


def _rounds(x: Any) -> Any:
    """The first of each round is not oneDNN's."""
    start = [paddle.zeros([1], "int64"), paddle.assign(x)]
    return paddle.static.nn.while_loop(
        lambda count, state: count < 3,
        lambda count, state: [count + 1, paddle.cos(state) * 0.5],
        start,
    )[1]


def _nested(x: Any) -> Any:
    return paddle.static.nn.cond(paddle.mean(x) > 9.0, lambda: F.relu(x), lambda: _branch(x))


_COMPUTED = {
    "cosine": paddle.cos,
    "cosine_and_layer": lambda x: F.tanh(paddle.cos(x)),
    "relu": F.relu,
    "both": lambda x: (paddle.square(x), F.relu(x)),
}
for flow in (_branch, _loop, _nested, _rounds):
    for name, compute in _COMPUTED.items():
        family.layer(
            f"{flow.__name__.lstrip('_')}_and_{name}",
            lambda flow=flow, compute=compute: Flow(flow, compute),
            ROWS,
        )


class Folded(nn.Layer):
    """A state that a convolution makes anew in each round, read plain or added to."""

    def __init__(self, activation: Any) -> None:
        super().__init__()
        self.convolution = nn.Conv2D(3, 3, 3, padding=1)
        self.activation = activation

    def forward(self, x: Any) -> Any:
        state = paddle.zeros_like(x)
        for _ in range(paddle.shape(x)[0] + 2):
            state = self.activation(self.convolution(state + 1.0)) + 0.1 * x
        return state, state.flatten(1)


family.layer("state_of_convolutions", lambda: Folded(nn.Identity()), IMAGE)
family.layer("state_of_activated_convolutions", lambda: Folded(nn.Tanh()), IMAGE)


class Padded(nn.Layer):
    """An image padded along one axis, then along the other, where they do not divide."""

    def __init__(self) -> None:
        super().__init__()
        self.convolution = nn.Conv2D(3, 4, 4, stride=4)

    def forward(self, x: Any) -> Any:
        _, _, height, width = x.shape
        if width % 4 != 0:
            sides = paddle.to_tensor([0, 4 - width % 4, 0, 0], dtype="int32")
            x = F.pad(x, sides)
        if height % 4 != 0:
            sides = paddle.to_tensor([0, 0, 0, 4 - height % 4], dtype="int32")
            x = F.pad(x, sides)
        return self.convolution(x)


family.layer(
    "image_padded_in_branches",
    Padded,
    Input((None, 3, None, None)),
    shapes=(((1, 3, 16, 24),), ((2, 3, 17, 26),)),
)


class Begun(nn.Layer):
    """A state that a convolution makes first, and each round anew."""

    def __init__(self, activation: Any) -> None:
        super().__init__()
        self.first, self.convolution = (nn.Conv2D(3, 3, 3, padding=1) for _ in range(2))
        self.activation = activation

    def forward(self, x: Any) -> Any:
        state = self.activation(self.first(x))
        for _ in range(paddle.shape(x)[0] + 1):
            state = F.tanh(self.convolution(state) + state)
        return F.relu(self.first(state) + state)


for name, activation in {"": nn.Identity(), "_activated": nn.ReLU(), "_sine": paddle.sin}.items():
    family.layer(
        f"state_begun_by_convolution{name}",
        lambda activation=activation: Begun(activation),
        IMAGE,
    )
