"""Values that are read, or made, more than once, where a pass looks at one reader alone."""

from typing import Any

import paddle
from paddle import nn
from paddle.nn import functional as F  # noqa: N812 (Paddle's own custom)

from matrix.zoo.registry import IMAGE, ROWS, Family

family = Family("forks")


class Forked(nn.Layer):
    """A layer and a weight, and a function of them and of an input."""

    def __init__(self, compute: Any) -> None:
        super().__init__()
        self.linear = nn.Linear(6, 6)
        self.convolution = nn.Conv2D(3, 4, 1)
        self.compute = paddle.jit.not_to_static(compute)

    def forward(self, x: Any) -> Any:
        return self.compute(self, x)

    def product(self, x: Any) -> Any:
        return paddle.matmul(x, self.linear.weight)


def _cosine_and_value(net: Forked, x: Any) -> Any:
    y = net.product(x)
    return paddle.cos(y), y * 2.0


def _root_mean_square_norm(net: Forked, x: Any) -> Any:
    y = x + net.linear(x)
    return y + F.gelu(y * paddle.rsqrt(paddle.square(y).mean(-1, keepdim=True) + 1e-6))


def _position_encoding(net: Forked, x: Any) -> Any:
    angles = net.product(x)
    return paddle.concat([paddle.sin(angles), paddle.cos(angles)], -1)


def _silu_and_value(net: Forked, x: Any) -> Any:
    y = net.product(x)
    return F.silu(y) + F.relu(y)


def _share_and_value(net: Forked, x: Any) -> Any:
    y = F.softplus(net.product(x))
    return y / y.sum(-1, keepdim=True) + F.relu(y)


def _states_of_zeros(net: Forked, x: Any) -> Any:
    return net.linear(x), paddle.zeros_like(x), paddle.zeros_like(x)


def _turned_and_joined(net: Forked, x: Any) -> Any:
    tokens = net.convolution(x).flatten(2).transpose([0, 2, 1])
    image = tokens.reshape([-1, 36, 2, 2])
    return paddle.concat([image, image], 1)


ROWS_FORKED = {
    # CL232
    "cosine_and_value": _cosine_and_value,
    "root_mean_square_norm": _root_mean_square_norm,
    "position_encoding": _position_encoding,
    "silu_and_value": _silu_and_value,
    "share_and_value": _share_and_value,
    # CL233
    "states_of_zeros": _states_of_zeros,
}
for name, compute in ROWS_FORKED.items():
    family.layer(name, lambda compute=compute: Forked(compute), ROWS)
# CL231
family.layer("turned_and_joined", lambda: Forked(_turned_and_joined), IMAGE)
