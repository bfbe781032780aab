"""What is computed in bfloat16 between numbers of float32."""

from __future__ import annotations

from typing import Any

from matrix.zoo.registry import ROWS, Family

family = Family("fusion")


def halved(x: Any) -> Any:
    return (x.astype("bfloat16") / 2).astype("float32")


def squared(x: Any) -> Any:
    half = x.astype("bfloat16")
    return (half * half).sum(1).astype("float32")


family.op("halved_in_bfloat16", halved, ROWS, tolerance=2e-2)
family.op("squared_in_bfloat16", squared, ROWS, tolerance=5e-2)
