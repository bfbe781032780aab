"""Lines of numbers that are interpolated to one, or to some."""

from __future__ import annotations

from paddle.nn import functional as F  # noqa: N812 (Paddle's own custom)

from matrix.network import Input
from matrix.zoo.layers import computed
from matrix.zoo.registry import Family

family = Family("interpolation")
_LINE = Input((1, 2, 6))


def _line_to_one_place(x):
    return F.interpolate(x, size=[1], mode="linear", data_format="NCW")


def _line_to_its_first_place(x):
    return F.interpolate(x, size=[1], mode="linear", data_format="NCW", align_mode=1)


def _line_to_three_places(x):
    return F.interpolate(x, size=[3], mode="linear", data_format="NCW")


for compute in (_line_to_one_place, _line_to_its_first_place, _line_to_three_places):
    computed(family, compute, _LINE)
