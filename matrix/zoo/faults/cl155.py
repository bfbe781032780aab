"""Losses that weigh positives."""

from __future__ import annotations

import paddle
from paddle.nn import functional

from matrix.zoo.registry import WIDE, Family

family = Family("loss")


def _weighed(x: paddle.Tensor) -> paddle.Tensor:
    weights = paddle.full([6], 3.0)
    return functional.binary_cross_entropy_with_logits(
        x, functional.sigmoid(x * 2.0), pos_weight=weights, reduction="none"
    )


family.op("weighed_positives", _weighed, WIDE)
