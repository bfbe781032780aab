"""NaN among the constants of a program."""

import math

import paddle

from matrix.zoo.layers import computed
from matrix.zoo.registry import Family

family = Family("tensor")


def _nan_where_negative(x):
    return paddle.where(x > 0.0, x, paddle.full([6], math.nan))


def _nan_in_branch(x):
    if x.sum() > -100.0:  # noqa: SIM108 (a branch is meant)
        y = paddle.where(x > 0.0, x, paddle.full([6], math.nan))
    else:
        y = x * 2.0
    return y


computed(family, _nan_where_negative)
computed(family, _nan_in_branch)
