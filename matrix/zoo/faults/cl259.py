"""NaN that a network makes by itself, in front of what oneDNN computes; and what makes none."""

from __future__ import annotations

from typing import Any

import paddle
from paddle.nn import functional as F  # noqa: N812 (Paddle's own custom)

from matrix.network import Input
from matrix.zoo.layers import Computed, Forked, Read
from matrix.zoo.registry import WIDE, Family

family = Family("fusion")
_WHOLE = Input((None, 6), "int32", low=-4, high=4)
_WIDE_IMAGE = Input((None, 3, 6, 6), low=-4.0, high=4.0)


def _share(x: Any) -> Any:
    """Nothing of nothing, where a number is below zero."""
    kept = F.relu(x)
    return kept / kept


def _given_nothing_for_nan(x: Any) -> Any:
    return paddle.where(paddle.isnan(x), paddle.zeros_like(x), x)


for name, compute in {
    "nan_to_exp": lambda net, x: paddle.exp(_share(x)),
    "nan_to_clip": lambda net, x: paddle.clip(net.linear(_share(x)), -1.0, 1.0),
    "nan_to_relu6": lambda net, x: F.relu6(_share(x)),
    "nan_to_softmax": lambda net, x: F.softmax(_share(x), -1),
    "nan_to_log_softmax": lambda net, x: F.log_softmax(_share(x), -1),
    "nan_of_root_to_softmax": lambda net, x: net.linear(F.softmax(paddle.sqrt(x), -1)),
    "nan_of_logarithm_to_exp": lambda net, x: paddle.exp(paddle.log(x) * 0.5),
    "nan_replaced": lambda net, x: paddle.exp(_given_nothing_for_nan(_share(x))),
    "softmax_by_hand_is_sound": lambda net, x: F.softmax(
        paddle.exp(x) / paddle.exp(x).sum(-1, keepdim=True)
    ),
    "norm_by_hand_is_sound": lambda net, x: paddle.exp(
        net.linear((x - x.mean(-1, keepdim=True)) / paddle.sqrt(x.var(-1, keepdim=True) + 1e-5))
    ),
}.items():
    family.layer(name, lambda compute=compute: Forked(compute), WIDE)
for name, compute in {
    "nan_to_pool": lambda net, x: F.max_pool2d(_share(x), 2, 2),
    "nan_to_convolution_and_relu6": lambda net, x: F.relu6(net.convolution(_share(x))),
}.items():
    family.layer(name, lambda compute=compute: Read(compute), _WIDE_IMAGE)
for name, compute in {
    "nan_of_whole_logarithm_to_exp": lambda x: paddle.exp(paddle.log2(x)),
    "nan_of_whole_logarithm_to_clip": lambda x: paddle.clip(paddle.log(x), -1.0, 1.0),
}.items():
    # PIR declares whole numbers there as well: exp fails, and predictors lose NaN (3.0.0, 3.3.1).
    family.layer(name, lambda compute=compute: Computed(compute), _WHOLE, savers=("2.6.2",))
