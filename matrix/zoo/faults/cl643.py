"""Logarithms of a softmax of numbers that are far apart."""

from __future__ import annotations

from typing import Any

import paddle
from paddle.nn import functional as F  # noqa: N812 (Paddle's own custom)

from matrix.zoo.registry import ROWS, Family, linear

family = Family("activation")


def _entropy(x: Any) -> Any:
    shares = F.softmax(x * 200.0)
    return -(shares * paddle.log(shares)).sum(-1)


for name, compute in {
    "log_softmax_far_apart": lambda x: F.log_softmax(x * 200.0),
    "log_softmax_first_far_apart": lambda x: F.log_softmax(x * 200.0, 0),
    "softmax_far_apart": lambda x: F.softmax(x * 200.0),
    "logarithm_far_apart": lambda x: paddle.log(F.softmax(x * 200.0)),
    "logarithm_of_turned_far_apart": lambda x: paddle.log2(F.softmax(x * 200.0).t()),
    "entropy_far_apart": _entropy,
}.items():
    family.op(name, compute, ROWS, before=linear)
