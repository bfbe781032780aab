"""What a first call finds nothing of, and later ones do."""

from __future__ import annotations

from functools import partial
from typing import Any

import paddle
from paddle import nn
from paddle.nn import functional

from matrix.zoo.layers import found
from matrix.zoo.registry import Family

family = Family("onednn")
_add = partial(found, family)


def _activated_sum(_: Any, rows: Any) -> Any:
    return functional.relu(rows + paddle.sin(rows)), rows[:, :2]


def _activated_product(part: Any, rows: Any) -> Any:
    return functional.gelu(paddle.matmul(rows, part.weight)), rows[:, :2]


_add(
    "transposed",
    lambda part, rows: part(rows),
    (6, 8, 8),
    lambda: nn.Conv2DTranspose(6, 4, 2, 2, bias_attr=False),
)
_add("scaled", lambda _, rows: rows * paddle.to_tensor(3.5), (6,))
_add("expanded", lambda _, rows: paddle.expand(rows, [2, -1, 6]), (6,))
_add("activated", lambda _, rows: functional.mish(rows), (6,))
_add("activated_sum", _activated_sum, (6,))
_add("activated_product", _activated_product, (6,), lambda: nn.Linear(6, 6))
