"""Convolutions and normalisations by the statistics of the batch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from paddle import nn

from matrix.network import Input
from matrix.zoo.registry import Family

family = Family("onednn")
_IMAGE = Input((None, 4, 6, 6))


def _normalised(make: Callable[[], Any], *more: Callable[[], Any]) -> Callable[[], Any]:
    def build() -> Any:
        layer = nn.Sequential(
            make(), nn.BatchNorm2D(4, use_global_stats=False), *(one() for one in more)
        )
        layer[1]._mean.set_value(layer[1]._mean + 0.5)
        return layer

    return build


for name, make in (
    ("bare", lambda: nn.Conv2D(4, 4, 1, bias_attr=False)),
    ("biased", lambda: nn.Conv2D(4, 4, 3)),
    ("deep", lambda: nn.Conv2D(4, 4, 3, groups=4, bias_attr=False)),
    ("transposed", lambda: nn.Conv2DTranspose(4, 4, 3)),
):
    family.layer(f"batch_statistics_{name}", _normalised(make), _IMAGE)
family.layer("batch_statistics_relu", _normalised(lambda: nn.Conv2D(4, 4, 1), nn.ReLU), _IMAGE)
