"""Adaptive means of images of unknown size: of the first one that divides, and of others."""

from __future__ import annotations

from paddle.nn import functional as F  # noqa: N812 (Paddle's own custom)

from matrix.network import Input
from matrix.zoo.registry import Family, convolution

family = Family("pooling")
_SIZES = (((1, 3, 12, 12),), ((2, 3, 16, 23),), ((1, 3, 7, 18),))

for name, compute in {
    "adaptive_mean": lambda x: F.adaptive_avg_pool2d(x, 3),
    "adaptive_mean_of_one_axis": lambda x: F.adaptive_avg_pool2d(x, [1, 4]),
    "adaptive_mean_of_all": lambda x: F.adaptive_avg_pool2d(x, 1),
    "adaptive_mean_of_rows": lambda x: F.adaptive_avg_pool1d(x.flatten(2), 8),
    "adaptive_maximum": lambda x: F.adaptive_max_pool2d(x, 3),
}.items():
    for kind, before in {"": None, "_of_convolution": convolution}.items():
        image = Input((None, 3, None, None))
        family.op(name + kind, compute, image, shapes=_SIZES, before=before)
