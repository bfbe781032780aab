"""Transposed convolutions in groups, and a normalisation."""

from paddle import nn

from matrix.network import Input
from matrix.zoo.registry import Family

family = Family("onednn")
_IMAGE = Input((None, 4, 6, 6))
for groups, channels in ((1, 8), (2, 4), (2, 8), (4, 4), (4, 8)):
    family.layer(
        f"normed_transposed_{groups}_of_{channels}",
        lambda groups=groups, channels=channels: nn.Sequential(
            nn.Conv2DTranspose(4, channels, 2, groups=groups, bias_attr=False),
            nn.BatchNorm2D(channels),
        ),
        _IMAGE,
    )
