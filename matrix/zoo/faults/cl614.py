"""What is computed in bfloat16 between numbers of float32."""

from __future__ import annotations

from typing import Any

import paddle

from matrix.zoo.registry import ROWS, Family

family = Family("fusion")


def in_quarters(x: Any) -> Any:
    """In bfloat16 without a loss: releases round otherwise."""
    return (paddle.floor(x * 4.0) / 4.0).astype("bfloat16")


def halved(x: Any) -> Any:
    return (in_quarters(x) / 2).astype("float32")


def squared(x: Any) -> Any:
    half = in_quarters(x)
    return (half * half).sum(1).astype("float32")


family.op("halved_in_bfloat16", halved, ROWS)
family.op("squared_in_bfloat16", squared, ROWS)
