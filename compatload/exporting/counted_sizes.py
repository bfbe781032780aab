"""Sizes that are not known when a program is made, counted with where the program runs (CL457).

Functions of Paddle that are written in Python count with the sizes of a Tensor: ``trapezoid`` reads
up to the last place but one, ``istft`` repeats its window once a frame. In a program a free size is
-1 there: Paddle counts with that, in silence (``trapezoid`` on 2.6 and 3.x), or refuses what comes
of it (``istft``, ``block_diag``). The code of a model is converted so that it counts with Tensors;
Paddle's own is not.
"""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

from compatload.exporting.functions_in_programs import counting_otherwise
from compatload.exporting.replacing import (
    bound,
    found,
    is_value,
    methods_replaced,
    replaced,
    value_classes,
    values_of,
)

_UNKNOWN = -1
_Binary = Callable[[Any, Any], Any]


class _Unknown:
    """A number that Paddle counts with, beside the Tensor that it stands for.

    To all but what is written here it is the number, so that what Paddle does with a size that it
    does not know (``if size == -1``) is as before.
    """

    tensor: Callable[[], Any]


class UnknownSize(_Unknown, int):
    """A size; what is counted with it is one again."""

    def __new__(cls, number: int, tensor: Callable[[], Any]) -> UnknownSize:
        self = super().__new__(cls, number)
        self.tensor = tensor
        return self


class UnknownNumber(_Unknown, float):
    """What is no whole number any more, as the root of a size."""

    def __new__(cls, number: float, tensor: Callable[[], Any]) -> UnknownNumber:
        self = super().__new__(cls, number)
        self.tensor = tensor
        return self


def _counting(name: str, compute: _Binary) -> _Binary:
    """The operation of that name, which keeps the Tensor."""
    plain = getattr(int, name)
    turned = name.startswith("__r")

    def count(self: UnknownSize, other: Any) -> Any:
        number = plain(self, other)
        if number is NotImplemented:
            return number

        def tensor() -> Any:
            one, two = told(self), told(other)
            return compute(two, one) if turned else compute(one, two)

        return UnknownSize(number, tensor)

    return count


for _name in ("add", "sub", "mul", "floordiv", "mod"):
    for _form in (f"__{_name}__", f"__r{_name}__"):
        setattr(UnknownSize, _form, _counting(_form, getattr(operator, _name)))


def _to_a_power(self: UnknownSize, power: float) -> Any:
    """-1 to the power of -0.5, by which attention scales, would be a complex number."""
    return UnknownNumber(math.nan, lambda: told(self).astype("float32") ** power)


setattr(UnknownSize, "__pow__", _to_a_power)  # noqa: B010 - int's has other types


def told(one: Any) -> Any:
    """The same with Tensors for sizes that are unknown, also within lists and slices."""
    if isinstance(one, _Unknown):
        return one.tensor()
    if not _has_unknown(one):
        return one
    if isinstance(one, slice):
        return slice(told(one.start), told(one.stop), told(one.step))
    return (tuple if type(one) is tuple else list)(map(told, one))


def _has_unknown(one: Any) -> bool:
    if isinstance(one, slice):
        one = (one.start, one.stop, one.step)
    if isinstance(one, (list, tuple)):
        return any(map(_has_unknown, one))
    return isinstance(one, _Unknown)


def _reshape(plain: Any, x: Any, shape: Any, *others: Any, **named: Any) -> Any:
    """One unknown size is what Paddle's -1 says as well."""
    if isinstance(shape, (list, tuple)):
        unknown = [one for one in shape if isinstance(one, int) and one < 0]
        if unknown == [_UNKNOWN]:
            shape = [int(one) if isinstance(one, int) else one for one in shape]
        else:
            shape = told(shape)
        shape = _with_rest(list(x.shape), shape)
    return plain(x, shape, *others, **named)


def _with_rest(sizes: Sequence[int], shape: Sequence[Any]) -> Sequence[Any]:
    """The shape with a number for its -1, where as many sizes are counted as are free: Paddle
    gives up there, and refuses channels that it does not know (``pixel_shuffle``). Where others
    are counted than are free, the sizes do not fit when it runs."""
    known = [one for one in shape if isinstance(one, int)]
    rest = math.prod(known) * _UNKNOWN
    counted = len(shape) - len(known)
    if known.count(_UNKNOWN) != 1 or not counted or list(sizes).count(_UNKNOWN) != counted:
        return shape
    whole = abs(math.prod(sizes))
    if rest < 1 or whole % rest:
        return shape
    return [whole // rest if isinstance(one, int) and one == _UNKNOWN else one for one in shape]


def _pad(
    plain: Any,
    x: Any,
    pad: Any,
    mode: str = "constant",
    value: float = 0.0,
    data_format: str | None = None,
    *others: Any,
    **named: Any,
) -> Any:
    """By as many places as are counted: a Tensor says it for the inner axes of images, as it is
    asked for there; other axes grow by what is put in front and behind."""
    import paddle

    pad, value = told(pad), told(value)
    given = (*([] if data_format is None else [data_format]), *others)
    if not isinstance(pad, (list, tuple)) or not any(map(is_value, pad)):
        return plain(x, pad, mode, value, *given, **named)
    rank = len(x.shape)
    pad = [one.reshape([]) for one in values_of(pad, "int32")]
    if mode != "constant" or len(pad) == 2 * (rank - 2):
        return plain(x, paddle.stack(pad), mode, value, *given, **named)
    pairs = list(zip(pad[::2], pad[1::2]))
    from_left = len(pairs) == rank and named.get("pad_from_left_axis", True)
    axes = range(rank) if from_left else range(rank - 1, rank - 1 - len(pairs), -1)
    for axis, places in zip(axes, pairs):
        sizes = [*paddle.unstack(paddle.shape(x), num=rank)]
        around = [
            paddle.full([*sizes[:axis], count, *sizes[axis + 1 :]], value, x.dtype)
            for count in places
        ]
        x = paddle.concat([around[0], x, around[1]], axis)
    return x


def _to_tensor(plain: Any, data: Any, dtype: Any = None, *others: Any, **named: Any) -> Any:
    if isinstance(data, UnknownSize):
        tensor = data.tensor()
        return tensor if dtype is None else tensor.astype(dtype)
    return plain(data, dtype, *others, **named)


def _telling(plain: Any, *given: Any, **named: Any) -> Any:
    return plain(*map(told, given), **{name: told(one) for name, one in named.items()})


def _with_tensor(plain: Any, value: Any, other: Any) -> Any:
    """An operator between a Tensor and a number, which takes the Tensor's type."""
    if isinstance(other, _Unknown):
        other = other.tensor().astype(value.dtype)
    return plain(value, other)


# What takes a Tensor in place of a size.
_TAKING = {
    **dict.fromkeys(
        (
            *("_C_ops.unpool", "arange", "broadcast_to", "crop", "empty", "expand", "eye", "full"),
            *("linspace", "ones", "slice", "strided_slice", "tile", "zeros"),
        ),
        _telling,
    ),
    "nn.functional.pad": _pad,
    "reshape": _reshape,
    "to_tensor": _to_tensor,
}
_OPERATORS = {
    **dict.fromkeys(("__getitem__", "__setitem__"), _telling),
    **dict.fromkeys(
        (
            *("__add__", "__radd__", "__sub__", "__rsub__", "__mul__", "__rmul__"),
            *("__truediv__", "__rtruediv__", "__floordiv__", "__rfloordiv__", "__mod__"),
            *("__lt__", "__le__", "__gt__", "__ge__", "__eq__", "__ne__"),
        ),
        _with_tensor,
    ),
}


@contextmanager
def sizes_counted(layer: Any) -> Iterator[None]:
    """Within the scope, in any thread, sizes of what stands for a Tensor in a program are counted
    with; ``layer`` is not looked at."""
    taking = {plain: bound(_TAKING[name], plain) for name, plain in found(_TAKING).items()}
    with counting_otherwise(), replaced(taking), methods_replaced(_OPERATORS), ExitStack() as scope:
        for one in value_classes():
            scope.enter_context(_counted(one))
        yield


@contextmanager
def _counted(holder: Any) -> Iterator[None]:
    sizes = holder.__dict__["shape"]

    def shape(value: Any) -> Any:
        known = sizes.__get__(value, holder)
        if known is None or _UNKNOWN not in known:
            return known
        counted = [
            UnknownSize(size, functools.partial(_size, value, axis)) if size == _UNKNOWN else size
            for axis, size in enumerate(known)
        ]
        return type(known)(counted)

    holder.shape = property(shape)
    try:
        yield
    finally:
        holder.shape = sizes


def _size(value: Any, axis: int) -> Any:
    import paddle

    return paddle.shape(value)[axis]
