"""Images of a single place that are made larger."""

from typing import Any

import paddle
from paddle.nn import functional

from matrix.network import Input
from matrix.zoo.layers import computed
from matrix.zoo.registry import IMAGE, Family

family = Family("onednn")


def _single_place_enlarged(x: Any) -> Any:
    single = functional.adaptive_avg_pool2d(x, 1)
    return functional.interpolate(single, size=[6, 6], mode="nearest") + x


def _single_place_doubled(x: Any) -> Any:
    return functional.interpolate(paddle.tanh(x), scale_factor=2, mode="nearest")


computed(family, _single_place_enlarged, IMAGE)
computed(family, _single_place_doubled, Input((None, 3, 1, 1)))
