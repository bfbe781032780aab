"""Products that are transposed and reshaped, and read by others."""

from __future__ import annotations

from typing import Any

import paddle
from paddle import nn
from paddle.nn import functional as F  # noqa: N812 (Paddle's own custom)

from matrix.network import Input
from matrix.zoo.registry import Family

family = Family("fusion")
_TOKENS = Input((None, None, 12))


class Headed(nn.Layer):
    """A product of heads with a weight, and a function of it."""

    def __init__(self, compute: Any) -> None:
        super().__init__()
        self.weight = self.create_parameter([3, 4, 5])
        self.compute = paddle.jit.not_to_static(compute)

    def forward(self, x: Any) -> Any:
        heads = x.reshape([0, 0, 3, 4]).transpose([0, 2, 1, 3])
        return self.compute(paddle.matmul(heads, self.weight))


def _joined(product: Any) -> Any:
    return product.transpose([0, 2, 1, 3]).reshape([0, 0, 15])


for name, compute in {
    "product_and_its_heads": lambda product: (product, _joined(product)),
    "product_turned_twice": lambda p: (_joined(p), p.transpose([0, 3, 1, 2]).reshape([0, 15, -1])),
    "product_and_activation": lambda product: (F.relu(product).sum(1), _joined(product)),
    "product_joined": _joined,
}.items():
    family.layer(name, lambda compute=compute: Headed(compute), _TOKENS)
