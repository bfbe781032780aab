"""Convolutions with channels last and the normalisations behind them."""

from __future__ import annotations

from typing import Any

from paddle import nn

from matrix.network import Input
from matrix.zoo.registry import Family

family = Family("normalisation")
LAST = "NHWC"
PICTURES = Input((None, None, None, 4))


def _normalised(filters: nn.Layer, channels: int) -> Any:
    return nn.Sequential(filters, nn.BatchNorm2D(channels, data_format=LAST), nn.ReLU())


def _ordinary() -> Any:
    return _normalised(nn.Conv2D(4, 6, 3, padding=1, data_format=LAST, bias_attr=False), 6)


def _depthwise() -> Any:
    filters = nn.Conv2D(4, 4, 3, padding=1, groups=4, data_format=LAST, bias_attr=False)
    return _normalised(filters, 4)


for name, build in (
    ("normalised_channels_last", _ordinary),
    ("normalised_depthwise_channels_last", _depthwise),
):
    # The second picture is as high as there are channels.
    family.layer(name, build, PICTURES, shapes=(((2, 5, 3, 4),), ((1, 6, 4, 4),)))
