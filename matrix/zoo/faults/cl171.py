"""What automatic mixed precision computes in bfloat16, of numbers that it holds without a loss."""

from __future__ import annotations

from typing import Any

import paddle
from paddle import nn

from matrix.zoo.registry import IMAGE, ROWS, Family

family = Family("fusion")


class Mixed(nn.Layer):
    """Eagerly a CPU without AVX-512 computes it in float32; a program of 3.x is in bfloat16."""

    def __init__(self, channels: int, *, is_convolution: bool) -> None:
        super().__init__()
        half = nn.initializer.Constant(0.5)
        self.heavy = (
            nn.Conv2D(channels, 2, 1, weight_attr=half, bias_attr=False)
            if is_convolution
            else nn.Linear(channels, 4, weight_attr=half)
        )

    def forward(self, x: Any) -> Any:
        with paddle.amp.auto_cast(level="O1", dtype="bfloat16"):
            y = self.heavy(paddle.floor(x * 2.0))
            y = nn.functional.relu(y) + nn.functional.leaky_relu(y, 0.5)
            if y.ndim == 4:
                y = nn.functional.max_pool2d(y, 2)
            y = paddle.clip(y.max(-1, keepdim=True), -8.0, 8.0)
        return y.astype("float32")


family.layer("mixed_linear_in_bfloat16", lambda: Mixed(6, is_convolution=False), ROWS, seeded=False)
family.layer(
    "mixed_convolution_in_bfloat16", lambda: Mixed(3, is_convolution=True), IMAGE, seeded=False
)
