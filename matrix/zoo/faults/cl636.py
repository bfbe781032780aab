"""Products with a vector, times a number, and an addition."""

from __future__ import annotations

from typing import Any

import paddle
from paddle import nn

from matrix.network import Input
from matrix.zoo.registry import Family

family = Family("onednn")


class _Weighed(nn.Layer):
    """``matmul(x, v) * scale + z``; ``z`` is stored, or what is read by another vector."""

    def __init__(self, scale: float, added: str):
        super().__init__()
        self.v, self.z, self.w = (self.create_parameter([size]) for size in (4, 3, 4))
        for number, one in enumerate((self.v, self.z, self.w)):
            one.set_value(paddle.linspace(-1.0, 0.7 + number, one.shape[0]))
        self.scale, self.added = scale, added

    def forward(self, x: Any) -> Any:
        product = paddle.matmul(x, self.v)
        if self.scale != 1.0:
            product = product * self.scale
        if self.added == "other":
            return product + paddle.matmul(x, self.w) * 0.4
        return product + (x[:, 0] if self.added == "input" else self.z)


for name, scale, added in (
    ("scaled", 0.3, "stored"),
    ("plain", 1.0, "stored"),
    ("scaled_other", 0.3, "other"),
    ("scaled_input", 0.3, "input"),
):
    family.layer(
        f"vector_product_{name}",
        lambda scale=scale, added=added: _Weighed(scale, added),
        Input((3, 4)),
    )
