"""What 2.6 has nothing for: places of a stable sort, a mask of windows that reach out."""

from __future__ import annotations

import paddle
from paddle.nn import functional as F  # noqa: N812 (Paddle's own custom)

from matrix.network import Input
from matrix.zoo.layers import computed
from matrix.zoo.registry import Family

family = Family("sorting")


def _places_of_a_stable_sort(x):
    return paddle.argsort(paddle.sign(x), stable=True)


def _numbers_of_a_stable_sort(x):
    return paddle.sort(paddle.sign(x), stable=True)


def _places_of_windows_that_reach_out(x):
    return F.max_pool2d(x, 2, 3, ceil_mode=True, return_mask=True)


computed(family, _places_of_a_stable_sort, since="3.0")
computed(family, _numbers_of_a_stable_sort, since="3.0")
computed(family, _places_of_windows_that_reach_out, Input((1, 2, 6, 6)), since="3.0")
