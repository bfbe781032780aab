"""Types that 2.6 has no kernels for, in legacy programs that 3.x saved."""

from __future__ import annotations

import paddle

from matrix.zoo.layers import computed
from matrix.zoo.registry import Family

family = Family("young_kernels")


def _numbers(x, dtype):
    return (x * 4).astype("int32").astype(dtype)


def _added(x, dtype):
    one = _numbers(x, dtype)
    return (one + one).astype("int32")


def _young_added_flags(x):
    return (x > 0) + (x < -1)


def _young_added_bytes(x):
    return _added(x, "int8")


def _young_added_unsigned_bytes(x):
    return _added(paddle.abs(x), "uint8")


def _young_sorted_places(x):
    return paddle.argsort(_numbers(x, "int16"), stable=True)


def _young_gathered_flags(x):
    return paddle.gather(x > 0, paddle.to_tensor([1, 0]))


def _young_selected_flags(x):
    return paddle.index_select(x > 0, paddle.to_tensor([1, 0]))


def _young_tiled_bytes(x):
    return paddle.tile(_numbers(x, "int8"), [2, 1])


def _young_rounded_whole(x):
    return paddle.round(_numbers(x, "int64"))


def _young_close_whole(x):
    return paddle.allclose(_numbers(x, "int64"), _numbers(x, "int64"))


def _young_filled_bytes(x):
    return paddle.ones_like(x, "int8").astype("int32")


for compute in (
    *(
        _young_added_flags,
        _young_added_bytes,
        _young_added_unsigned_bytes,
        _young_sorted_places,
        _young_gathered_flags,
    ),
    *(
        _young_selected_flags,
        _young_tiled_bytes,
        _young_rounded_whole,
        _young_close_whole,
        _young_filled_bytes,
    ),
):
    computed(family, compute, since="3.2")
