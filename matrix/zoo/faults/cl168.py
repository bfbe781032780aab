"""Rows of a loop that are joined along their last axis, counted from the end."""

from __future__ import annotations

from typing import Any

import paddle
from paddle import nn

from matrix.network import Input
from matrix.zoo.registry import Family

family = Family("loops")


class JoinedFromTheEnd(nn.Layer):
    def forward(self, x: Any) -> Any:
        rows = []
        for t in range(x.shape[1]):
            rows.append(x[:, t] * 2.0)
        return paddle.concat(rows, -1)


family.layer("rows_joined_from_the_end", JoinedFromTheEnd, Input((None, None, 2)))
