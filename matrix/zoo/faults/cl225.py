"""What a first call finds nothing of, and later ones do."""

from __future__ import annotations

from paddle import nn

from matrix.network import Input
from matrix.zoo.layers import Found
from matrix.zoo.registry import Family

family = Family("onednn")

family.layer(
    "transposed_of_none",
    lambda: Found(
        lambda part, rows: part(rows), lambda: nn.Conv2DTranspose(6, 4, 2, 2, bias_attr=False)
    ),
    Input((None, 6, 8, 8)),
    shapes=(((2, 6, 8, 8),), ((5, 6, 8, 8),)),
)
