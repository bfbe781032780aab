"""States of loops that are read beside what overwrites them."""

from __future__ import annotations

import paddle

from matrix.zoo.layers import Computed
from matrix.zoo.registry import ROWS, WIDE, Family

family = Family("loops")


def _remainder(x: paddle.Tensor) -> paddle.Tensor:
    one, other = paddle.zeros([1]) + 36.0, paddle.zeros([1]) + 10.0
    total = paddle.zeros([6])
    while other > 0.5:
        one, other = other, one % other
        total = total + x.sum(0)
    return total * one


def _greatest_divisor(x: paddle.Tensor) -> paddle.Tensor:
    one, other = paddle.full([1], 987.0), paddle.full([1], 610.0)  # the most rounds
    while other > 0.5:
        one, other = other, one % other
    return x * one


def _neighbours(x: paddle.Tensor) -> tuple[paddle.Tensor, paddle.Tensor]:
    total, before = paddle.zeros([1]), paddle.zeros([6])
    place, rows = paddle.zeros([1], "int32"), paddle.shape(x)[0]
    while place < rows:
        row = paddle.gather(x, place)[0]
        total = total + (row * before).sum()
        before = row
        place = place + 1
    return total, before


family.layer("loop_of_remainders", lambda: Computed(_remainder), ROWS)
family.layer("greatest_divisor", lambda: Computed(_greatest_divisor), ROWS)
family.layer("products_of_neighbours", lambda: Computed(_neighbours), WIDE)
