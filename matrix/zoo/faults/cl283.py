"""Sums of two convolutions, one of them of a single place."""

from __future__ import annotations

from typing import Any

from paddle import nn
from paddle.nn import functional as F  # noqa: N812 (Paddle's own custom)

from matrix.zoo.registry import IMAGE, Family

family = Family("fusion")


class Pooled(nn.Layer):
    """Two convolutions, of an image and of its mean, added in one order or the other."""

    def __init__(self, turned: bool, biases: bool, normed: bool = False) -> None:
        super().__init__()
        norm = nn.BatchNorm2D if normed else nn.Identity
        self.first, self.second = norm(4), norm(4)
        self.one = nn.Conv2D(3, 4, 3, padding=1, bias_attr=None if biases else False)
        self.other = nn.Conv2D(3, 4, 1, bias_attr=None if biases else False)
        self.turned = turned

    def forward(self, x: Any) -> Any:
        wide = self.first(self.one(x))
        pooled = self.second(self.other(F.adaptive_avg_pool2d(x, 1)))
        return pooled + wide if self.turned else wide + pooled


for turned, place in ((False, "last"), (True, "first")):
    for biases, name in ((False, "convolution_of_mean"), (True, "layer_of_mean")):
        family.layer(f"{name}_{place}", lambda of=(turned, biases): Pooled(*of), IMAGE)
    family.layer(f"norm_of_mean_{place}", lambda turned=turned: Pooled(turned, False, True), IMAGE)
