"""Turned, reshaped and joined."""

from typing import Any

import paddle

from matrix.zoo.layers import Forked
from matrix.zoo.registry import IMAGE, Family

family = Family("forks")


def _turned_and_joined(net: Forked, x: Any) -> Any:
    tokens = net.convolution(x).flatten(2).transpose([0, 2, 1])
    image = tokens.reshape([-1, 36, 2, 2])
    return paddle.concat([image, image], 1)


family.layer("turned_and_joined", lambda: Forked(_turned_and_joined), IMAGE)
