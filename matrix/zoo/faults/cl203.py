"""Images that are stretched by a factor that gives no whole size; and by one that does."""

from __future__ import annotations

from paddle.nn import functional as F  # noqa: N812 (Paddle's own custom)

from matrix.network import Input
from matrix.zoo.layers import computed
from matrix.zoo.registry import Family

family = Family("interpolation")
_IMAGE = Input((1, 2, 4, 5))


def _stretched_by_a_fraction(x):
    return F.interpolate(x, scale_factor=1.3, mode="bilinear")


def _stretched_to_whole_sizes(x):
    return F.interpolate(x, scale_factor=[1.5, 1.2], mode="bilinear")


def _shrunk_to_one(x):
    return F.interpolate(x, size=[1, 1], mode="bilinear")


def _shrunk_to_one_row(x):
    return F.interpolate(x, size=[1, 5], mode="bilinear")


computed(family, _shrunk_to_one, _IMAGE)
computed(family, _shrunk_to_one_row, _IMAGE)
computed(family, _stretched_by_a_fraction, _IMAGE)
computed(family, _stretched_to_whole_sizes, _IMAGE)
