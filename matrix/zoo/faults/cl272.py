"""A single number of a tensor."""

from __future__ import annotations

from typing import Any

import paddle

from matrix.zoo.layers import Read
from matrix.zoo.registry import IMAGE, ROWS, Family

family = Family("fusion")
family.layer("single_number", lambda: Read(lambda net, x: net.norm(x)[0, 0, 0, 0]), IMAGE)


def logarithm(x: Any) -> Any:
    """Of a determinant: declared like the matrix, where it is one number."""
    return paddle.linalg.slogdet(x.t() @ x + paddle.eye(x.shape[1]))[1] * 2.0


family.op("logarithm_of_determinant", logarithm, ROWS)
