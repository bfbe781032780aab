"""What oneDNN computes in bfloat16, read twice."""

from __future__ import annotations

from typing import Any

import paddle
from paddle import nn

from matrix.zoo.faults.cl181 import HALF, half
from matrix.zoo.registry import ROWS, Family

family = Family("other")


class Product(nn.Layer):
    """A CPU computes it in bfloat16 without a loss."""

    def __init__(self, read: Any) -> None:
        super().__init__()
        self.inner = nn.Linear(6, 4, weight_attr=HALF, bias_attr=False)
        self.read = read

    def forward(self, x: Any) -> Any:
        x, weight = (half(one) for one in (paddle.floor(x * 2.0), self.inner.weight))
        return self.read(paddle.matmul(x, weight)).astype("float32")


def and_its_negative(y: Any) -> Any:
    return paddle.concat([y, -y], -1)


def and_its_double(y: Any) -> Any:
    return y * 2 + y


family.layer(
    "product_and_negative_in_bfloat16", lambda: Product(and_its_negative), ROWS, seeded=False
)
family.layer("product_and_double_in_bfloat16", lambda: Product(and_its_double), ROWS, seeded=False)
