"""Steps of fewer axes than the numbers at the step, digamma of zero, ranks; what has none."""

from __future__ import annotations

import paddle

from matrix.network import Input
from matrix.zoo.layers import computed
from matrix.zoo.registry import Family

family = Family("arithmetic")


def _step_of_fewer_axes(x):
    return paddle.heaviside(x, paddle.stack([x - 0.5, x + 0.5]))


def _step_at_fewer_axes(x):
    return paddle.heaviside(paddle.stack([x - 0.5, x + 0.5]), x)


def _step_of_one_row(x):
    return paddle.heaviside(x, paddle.concat([x - 0.5, x + 0.5]))


def _digamma_of_zero(x):
    return paddle.digamma(paddle.nn.functional.relu(x))


def _digamma_above_zero(x):
    return paddle.digamma(paddle.nn.functional.softplus(x) + 0.5)


def _rank_of_a_matrix(x):
    return paddle.linalg.matrix_rank(x)


computed(family, _step_of_fewer_axes)
computed(family, _digamma_of_zero)
computed(family, _digamma_above_zero)
computed(family, _rank_of_a_matrix)
computed(family, _step_at_fewer_axes)
computed(family, _step_of_one_row, Input((1, 6)))


def _equal_to_nearly_nothing(x):
    return (x * 1e-9 == 0.0).astype("float32"), (x * 1e-9 != x[:1] * 1e-9).astype("float32")


def _equal_in_float64(x):
    near = x.astype("float64") * 3e-9
    return (near == 0.0).astype("float32"), (near[0, 0] == near[0, 1]).astype("float32")


computed(family, _equal_to_nearly_nothing)
computed(family, _equal_in_float64)


def _exact_number_without_dimensions(x):
    return paddle.full([], 0.1, "float64"), x.astype("float64").sum() + paddle.full(
        [], 0.1, "float64"
    )


computed(family, _exact_number_without_dimensions)
