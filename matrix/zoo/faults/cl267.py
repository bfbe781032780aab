"""What a transposed convolution made, rounded, cut or cast to its own type."""

from __future__ import annotations

from typing import Any

import paddle
from paddle import nn
from paddle.nn import functional as F  # noqa: N812 (Paddle's own custom)

from matrix.network import Input
from matrix.zoo.registry import Family

family = Family("onednn")
_IMAGE = Input((None, 2, 4, 4))


class Transposed(nn.Layer):
    """A function of a transposed convolution of an image, and of the image."""

    def __init__(self, compute: Any, channels: int = 2, size: int = 1) -> None:
        super().__init__()
        padding = size // 2
        self.convolution = nn.Conv2DTranspose(2, channels, size, padding=padding)
        self.compute = paddle.jit.not_to_static(compute)

    def forward(self, x: Any) -> Any:
        return self.compute(self, self.convolution(x), x)


_AFTER = {
    "cast": lambda y: y.astype("float32"),
    "round": paddle.round,
    "cut": lambda y: paddle.tanh(y[:, 1:]),
    "split": lambda y: paddle.tanh(paddle.split(y, 2, 1)[1]),
}
_BETWEEN = {
    "": (lambda net, y, x: y, tuple(_AFTER)),
    "relu_": (lambda net, y, x: F.relu(y), ("cast", "cut")),
    "added_": (lambda net, y, x: y + x, ("round", "split")),
    "weighed_": (lambda net, y, x: y * F.sigmoid(F.adaptive_avg_pool2d(y, 1)), ("cast", "cut")),
    "joined_": (lambda net, y, x: paddle.concat([y, x], 1), ("round",)),
}
for before, (between, afters) in _BETWEEN.items():
    for after in afters:
        family.layer(
            f"transposed_{before}{after}",
            lambda between=between, last=_AFTER[after]: Transposed(
                lambda net, y, x: last(between(net, y, x))
            ),
            _IMAGE,
        )
for after in ("cast", "round"):
    family.layer(
        f"transposed_17_{after}",
        lambda last=_AFTER[after]: Transposed(lambda net, y, x: last(y), 17, 3),
        _IMAGE,
    )
