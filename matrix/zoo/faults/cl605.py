"""Loops that overwrite what was made or read in front of them."""

from __future__ import annotations

import paddle

from matrix.zoo.layers import Computed
from matrix.zoo.registry import WIDE, Family

family = Family("loops")


def _smoothed(x: paddle.Tensor) -> tuple[paddle.Tensor, paddle.Tensor]:
    level, trend = x[:, 0], x[:, 1] - x[:, 0]
    weight = paddle.nn.functional.sigmoid(x[:, 2])
    for place in range(1, x.shape[0] + 2):
        expected = level + trend
        new = weight * x[:, 3] + (1 - weight) * expected * (1.0 / place)
        trend = 0.3 * (new - level) + 0.7 * trend
        level = new
    return level.unsqueeze(1) + 2.0 * trend.unsqueeze(1), level


def _halved(x: paddle.Tensor) -> tuple[paddle.Tensor, paddle.Tensor]:
    def goes_on(place: paddle.Tensor, total: paddle.Tensor, part: paddle.Tensor) -> paddle.Tensor:
        return place < 4

    def step(
        place: paddle.Tensor, total: paddle.Tensor, part: paddle.Tensor
    ) -> list[paddle.Tensor]:
        return [place + 1, total + part, part * 0.5]

    begin = paddle.zeros([1], "int64")
    _, total, part = paddle.static.nn.while_loop(goes_on, step, [begin, x, x * 2.0])
    return total, part


family.layer("smoothed_twice", lambda: Computed(_smoothed), WIDE)
family.layer("halved_input", lambda: Computed(_halved), WIDE)
