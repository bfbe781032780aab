"""Means of windows that reach out of the image and count that; and of others."""

from __future__ import annotations

from functools import partial

from paddle.nn import functional as F  # noqa: N812 (Paddle's own custom)

from matrix.network import Input
from matrix.zoo.layers import Computed
from matrix.zoo.registry import Family

family = Family("pooling")
_IMAGE = Input((1, 2, 4, 5))

for name, told in {
    "mean_that_counts_outside": {"kernel_size": 2, "stride": 3, "exclusive": False},
    "mean_that_counts_padding": {"kernel_size": 3, "stride": 2, "padding": 1, "exclusive": False},
    "mean_that_skips_places": {"kernel_size": 2, "stride": 3},
    "mean_of_padding_alone": {"kernel_size": 3, "padding": 1},
    "mean_of_what_lies_inside": {"kernel_size": 2, "stride": 2},
}.items():
    mean = partial(F.avg_pool2d, ceil_mode=True, **told)
    family.layer(name, lambda mean=mean: Computed(mean), _IMAGE)
