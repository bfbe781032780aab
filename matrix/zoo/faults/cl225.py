"""What a first call finds nothing of, and later ones do."""

from __future__ import annotations

from typing import Any

import paddle
from paddle import nn
from paddle.nn import functional

from matrix.network import Input
from matrix.zoo.layers import Found
from matrix.zoo.registry import Family

family = Family("onednn")

family.layer(
    "transposed_of_none",
    lambda: Found(
        lambda part, rows: part(rows), lambda: nn.Conv2DTranspose(6, 4, 2, 2, bias_attr=False)
    ),
    Input((None, 6, 8, 8)),
    shapes=(((2, 6, 8, 8),), ((5, 6, 8, 8),)),
)


def _activated_sum(part: Any, rows: Any) -> Any:
    return functional.relu(rows + paddle.sin(rows)), rows[:, :2]


def _activated_product(part: Any, rows: Any) -> Any:
    return functional.gelu(paddle.matmul(rows, part.weight)), rows[:, :2]


for name, compute in [
    ("scaled_of_none", lambda part, rows: rows * paddle.to_tensor(3.5)),
    ("expanded_of_none", lambda part, rows: paddle.expand(rows, [2, -1, 6])),
    ("activated_of_none", lambda part, rows: functional.mish(rows)),
]:
    family.layer(
        name,
        lambda compute=compute: Found(compute, None),
        Input((None, 6)),
        shapes=[[(2, 6)], [(5, 6)]],
    )
_TWO = [[(2, 6)], [(5, 6)]]
family.layer(
    "activated_sum_of_none", lambda: Found(_activated_sum, None), Input((None, 6)), shapes=_TWO
)
family.layer(
    "activated_product_of_none",
    lambda: Found(_activated_product, lambda: nn.Linear(6, 6)),
    Input((None, 6)),
    shapes=_TWO,
)
