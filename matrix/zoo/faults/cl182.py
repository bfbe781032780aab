"""What was computed in half precision on a GPU, and a CPU has no kernels for."""

from __future__ import annotations

from typing import Any

import paddle
from paddle import nn
from paddle.nn import functional

from matrix.zoo.faults.cl181 import HALF, half
from matrix.zoo.registry import IMAGE, ROWS, Family

family = Family("other")


class Encoded(nn.Layer):
    """Every number on the way is held in bfloat16 and float16 without a loss."""

    def __init__(self, kind: str) -> None:
        super().__init__()
        self.kind = kind
        self.inner = nn.Linear(6, 4, weight_attr=HALF, bias_attr=HALF)

    def forward(self, x: Any) -> Any:
        parts = (paddle.floor(x * 2.0), self.inner.weight, self.inner.bias)
        x, weight, bias = (half(one, self.kind) for one in parts)
        y = functional.relu(functional.linear(x, weight, bias)).clip(-6.0, 6.0)
        y = paddle.where(y > 1.0, y.abs(), paddle.flip(y, [-1]))
        return paddle.concat([y.max(-1, keepdim=True), y.unsqueeze(1).squeeze(1)], -1).astype(
            "float32"
        )


def pooled(x: Any) -> Any:
    y = half(paddle.floor(x * 2.0), "float16")
    return functional.max_pool2d(y, 2).flatten(1).unsqueeze(1).astype("float32")


# 3.x on a CPU does not even trace what it has no kernel for.
for _kind in ("float16", "bfloat16"):
    family.layer(
        f"encoded_in_{_kind}",
        lambda kind=_kind: Encoded(kind),
        ROWS,
        seeded=False,
        savers=("2.6.0", "2.6.1", "2.6.2"),
    )
family.op("pooled_in_float16", pooled, IMAGE)
