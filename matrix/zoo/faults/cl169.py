"""What a branch gives back where nothing is found."""

from __future__ import annotations

from typing import Any

import paddle
from paddle import nn

from matrix.network import Input
from matrix.zoo.registry import Family

family = Family("control")


class NothingFound(nn.Layer):
    """The end of a detector: boxes, or none; x lies in -1 to 1, and so nothing is found."""

    def __init__(self, least: float) -> None:
        super().__init__()
        self.least = least

    def forward(self, x: Any) -> Any:
        kept = x[x[:, 0] > self.least]
        if kept.shape[0] == 0:
            boxes, labels = paddle.zeros([0, 4]), paddle.zeros([0], "int64")
        else:
            boxes, labels = paddle.concat([kept, kept], 1)[:, :4], paddle.argmax(kept, 1)
        return boxes, labels + 1, paddle.shape(boxes)


class NothingChosen(nn.Layer):
    """One of two choices, both of which may be of nothing, within another branch."""

    def forward(self, x: Any) -> Any:
        if paddle.any(x < 9):
            y = x[x[:, 0] > 99].astype("float64")
            if paddle.any(x < 8):
                y = y * 2
            y = y - 1
        else:
            y = x.astype("float64")
        return y, paddle.concat([y, x.astype("float64")])


family.layer("nothing_found", lambda: NothingFound(9.0), Input((None, 4)))
family.layer("something_found", lambda: NothingFound(-9.0), Input((None, 4)))
family.layer("nothing_chosen", NothingChosen, Input((None, 4)))
