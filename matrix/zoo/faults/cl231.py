"""Turned, reshaped and joined."""

from typing import Any

import paddle

from matrix.zoo.layers import Forked
from matrix.zoo.registry import IMAGE, ROWS, Family

family = Family("forks")


def _turned_and_joined(net: Forked, x: Any) -> Any:
    tokens = net.convolution(x).flatten(2).transpose([0, 2, 1])
    image = tokens.reshape([-1, 36, 2, 2])
    return paddle.concat([image, image], 1)


def _widened_twice(net: Forked, x: Any) -> Any:
    y = net.linear(x)
    return ((y * x).unsqueeze(-1) * (y + 1.0).unsqueeze(1)).unsqueeze(1) * 2.0


def _widened_and_turned(net: Forked, x: Any) -> Any:
    return (net.linear(x) * x).unsqueeze(1).transpose([0, 2, 1]).unsqueeze(0) + 1.0


family.layer("widened_twice", lambda: Forked(_widened_twice), ROWS)
family.layer("widened_and_turned", lambda: Forked(_widened_and_turned), ROWS)
family.layer("turned_and_joined", lambda: Forked(_turned_and_joined), IMAGE)
