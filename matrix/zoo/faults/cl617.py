"""Products of two vectors."""

from __future__ import annotations

from typing import Any

import paddle
from paddle.nn import functional

from matrix.zoo.layers import Read
from matrix.zoo.registry import ROWS, Family

family = Family("fusion")


def likeness(net: Any, x: Any) -> Any:
    """Of the first rows, scaled as scores are."""
    y = net.linear(x)
    return functional.relu(y[0] @ y[-1]) * 0.5 + 1.0, x.sum()


def scores(net: Any, x: Any) -> Any:
    y = net.linear(x)
    return paddle.stack([y[0] @ y[-1], paddle.tanh(y[0] @ y[0])])


family.layer("likeness_of_rows", lambda: Read(likeness), ROWS)
family.layer("scores_of_rows", lambda: Read(scores), ROWS)
family.layer("product_of_rows", lambda: Read(lambda net, x: net.linear(x)[0] @ x[-1]), ROWS)
