"""Interpolation by a factor that no float32 is, and by one that is."""

from paddle.nn import functional as F  # noqa: N812 (Paddle's own custom)

from matrix.network import Input
from matrix.zoo.layers import computed
from matrix.zoo.registry import Family

family = Family("image")
IMAGE_OF_TENS = Input((None, 3, 10, 10))


def _nearest_by_1_3(x):
    return F.interpolate(x, scale_factor=1.3)


def _bilinear_by_0_7(x):
    return F.interpolate(x, scale_factor=0.7, mode="bilinear")


def _nearest_by_1_5(x):
    return F.interpolate(x, scale_factor=1.5)


for one in (_nearest_by_1_3, _bilinear_by_0_7, _nearest_by_1_5):
    computed(family, one, IMAGE_OF_TENS)
