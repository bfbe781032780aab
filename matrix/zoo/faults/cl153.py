"""Lists that grow in a loop, constants without elements, and sizes that Paddle miscounts."""

from __future__ import annotations

import paddle

from matrix.zoo.layers import Computed
from matrix.zoo.registry import ROWS, Family

family = Family("loops")


def _listed(x: paddle.Tensor) -> paddle.Tensor:
    rows = []
    for row in range(x.shape[0]):
        rows.append(x[row] * 2.0)
    return paddle.stack(rows)


def _transformed(x: paddle.Tensor) -> paddle.Tensor:
    """Of the first axis, whose size is free."""
    turned = x.transpose([1, 0])
    frequencies = paddle.fft.rfft(paddle.concat([turned, turned], 1), axis=-1)
    return paddle.fft.irfft(frequencies * 0.5, axis=-1).mean(0)


def _found(x: paddle.Tensor) -> tuple[paddle.Tensor, paddle.Tensor]:
    """Rows by the places that ``unique`` tells, which are not below zero."""
    _, places = paddle.unique(paddle.cast(x[:, 0] * 2.0, "int64"), return_inverse=True)
    return paddle.gather(x * 2.0, places), places


family.layer("list_of_rows", lambda: Computed(_listed), ROWS)
family.layer(
    "joined_with_nothing",
    lambda: Computed(lambda x: paddle.concat([x, paddle.zeros([0, 6])])),
    ROWS,
)
family.layer("transformed_along_free_axis", lambda: Computed(_transformed), ROWS)
family.layer("gathered_by_unique", lambda: Computed(_found), ROWS)
