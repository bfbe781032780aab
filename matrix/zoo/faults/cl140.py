"""What 3.x writes into attributes that 2.6 has not got; the plain forms beside."""

from __future__ import annotations

import paddle
from paddle.nn import functional as F  # noqa: N812 (Paddle's own custom)

from matrix.zoo.layers import computed
from matrix.zoo.registry import Family

family = Family("activation")


def _divergence_of_logarithms(x):
    return F.kl_div(x, F.log_softmax(x, -1), reduction="none", log_target=True)


def _mean_divergence_of_logarithms(x):
    return F.kl_div(x, F.log_softmax(x, -1), log_target=True)


def _plain_divergence(x):
    return F.kl_div(x, F.softmax(x, -1), reduction="none")


def _threshold_with_value(x):
    return F.thresholded_relu(x, 0.5, value=-3.0)


def _rounded_to_tenths(x):
    return paddle.round(x, decimals=1)


for compute in (
    _divergence_of_logarithms,
    _mean_divergence_of_logarithms,
    _plain_divergence,
    _threshold_with_value,
    _rounded_to_tenths,
):
    computed(family, compute, since="3.0")
