"""Functions of Paddle that a program cannot be made of, written so that it can (CL457, CL458).

Some ask for a number where a free size has none: how often to split, whether to pad or to cut in
front of a transform. Others are there for Tensors only: ``view``, ``unfold``, ``fill_``. Each is
given Paddle's own function, and leaves to it what it can.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import Any

from compatload.exporting.changes_in_place import becomes
from compatload.exporting.replacing import bound, found, is_value, replaced, value_classes

_UNKNOWN = -1
_TO_THE_END = 2**31 - 1
_Function = Callable[..., Any]


def _resize_fft_input(plain: _Function, x: Any, s: Sequence[int], axes: Sequence[int]) -> Any:
    """``s[i]`` places along ``axes[i]``: cut, or with zeros behind."""
    import paddle

    for places, axis in zip(s, axes):
        if not is_value(x) or x.shape[axis] != _UNKNOWN:
            x = plain(x, [places], [axis])
            continue
        first = paddle.slice(x, [axis], [0], [1])
        times = [1] * len(x.shape)
        times[axis] = int(places)
        behind = paddle.tile(paddle.zeros_like(first), times)
        x = _known(
            paddle.slice(paddle.concat([x, behind], axis), [axis], [0], [int(places)]),
            axis,
            int(places),
        )
    return x


def _known(value: Any, axis: int, places: int) -> Any:
    """The value, of which Paddle does not know how many places it has."""
    if hasattr(value, "set_shape"):  # 2.6 has none, and asks for none
        sizes = [int(size) for size in value.shape]
        sizes[axis] = places
        value.set_shape(sizes)
    return value


def _tensor_split(
    plain: _Function, x: Any, num_or_indices: Any, axis: int = 0, name: str | None = None
) -> Any:
    import paddle

    if not is_value(x) or x.shape[axis] != _UNKNOWN:
        return plain(x, num_or_indices, axis, name)
    size = paddle.shape(x)[axis]
    if isinstance(num_or_indices, int):
        least, rest = size // num_or_indices, size % num_or_indices
        parts = [paddle.full([], number, size.dtype) for number in range(num_or_indices + 1)]
        bounds = [least * part + paddle.minimum(part, rest) for part in parts]
    else:
        places = [0, *num_or_indices]
        bounds = [paddle.full([], one, size.dtype) + (size if one < 0 else 0) for one in places]
        bounds.append(size)
    return [
        paddle.slice(x, [axis], [start], [paddle.maximum(start, end)])
        for start, end in zip(bounds, bounds[1:])
    ]


def _diff(
    plain: _Function,
    x: Any,
    n: int = 1,
    axis: int = -1,
    prepend: Any = None,
    append: Any = None,
    name: str | None = None,
) -> Any:
    """2.6 takes all but the last place to be those in front of place -1 - 1."""
    import paddle

    if not is_value(x) or x.shape[axis] != _UNKNOWN or x.dtype == paddle.bool:
        return plain(x, n, axis, prepend, append, name)
    for _ in range(n):
        parts = [one for one in (prepend, x, append) if one is not None]
        x = paddle.concat(parts, axis) if len(parts) > 1 else x
        behind = paddle.slice(x, [axis], [1], [_TO_THE_END])
        x = behind - paddle.slice(x, [axis], [0], [-1])
    return x


def _cov(
    plain: _Function,
    x: Any,
    rowvar: bool = True,
    ddof: bool = True,
    fweights: Any = None,
    aweights: Any = None,
    name: str | None = None,
) -> Any:
    """2.6 divides by 0 where it asks a Tensor of a program whether it is 0."""
    import paddle

    if not is_value(x) or fweights is not None or aweights is not None:
        return plain(x, rowvar, ddof, fweights, aweights, name)
    rows = x.reshape([1, -1]) if len(x.shape) == 1 else x
    if not rowvar and rows.shape[0] != 1:
        rows = paddle.transpose(rows, [1, 0])
    count = paddle.shape(rows)[1].astype(rows.dtype) - int(ddof)
    centred = rows - rows.mean(axis=1, keepdim=True)
    products = paddle.matmul(centred, rows, transpose_y=True)
    return paddle.squeeze(products / paddle.clip(count, min=0.0))


def _signbit(plain: _Function, x: Any, name: str | None = None) -> Any:
    import paddle

    if not is_value(x) or _UNKNOWN not in x.shape:
        return plain(x, name)
    return paddle.copysign(paddle.ones_like(x), x) < 0


def _isin(
    plain: _Function,
    x: Any,
    test_x: Any,
    assume_unique: bool = False,
    invert: bool = False,
    name: str | None = None,
) -> Any:
    import paddle

    if not is_value(x) or _UNKNOWN not in (*x.shape, *test_x.shape):
        return plain(x, test_x, assume_unique, invert, name)
    is_in = (x.unsqueeze(-1) == test_x.flatten()).any(axis=-1)
    return paddle.logical_not(is_in) if invert else is_in


def _view(plain: _Function, x: Any, shape_or_dtype: Any, name: str | None = None) -> Any:
    if not is_value(x) or not isinstance(shape_or_dtype, (list, tuple)):
        return plain(x, shape_or_dtype, name)
    return x.reshape(shape_or_dtype)


def _view_as(plain: _Function, x: Any, other: Any, name: str | None = None) -> Any:
    import paddle

    if not is_value(x):
        return plain(x, other, name)
    return x.reshape(paddle.shape(other) if _UNKNOWN in other.shape else other.shape)


def _as_strided(
    plain: _Function,
    x: Any,
    shape: Sequence[int],
    stride: Sequence[int],
    offset: int = 0,
    name: str | None = None,
) -> Any:
    """Of values as they lie one behind the other; ``offset`` is in bytes, as Paddle's is."""
    import numpy
    import paddle

    if not is_value(x):
        return plain(x, shape, stride, offset, name)
    first = offset // numpy.dtype(str(x.dtype).rpartition(".")[2].lower()).itemsize
    places = numpy.full(tuple(shape), first, "int64")
    for axis, (size, step) in enumerate(zip(shape, stride)):
        along = [size if one == axis else 1 for one in range(len(shape))]
        places += (numpy.arange(size) * step).reshape(along)
    flat = paddle.gather(x.flatten(), paddle.to_tensor(places.reshape(-1)))
    return flat.reshape(list(shape))


def _unfold(
    plain: _Function, x: Any, axis: int, size: int, step: int, name: str | None = None
) -> Any:
    """Windows of ``size`` places along ``axis``, as one more axis at the end."""
    import paddle

    if not is_value(x):
        return plain(x, axis, size, step, name)
    before = [slice(None)] * (axis % len(x.shape))
    windows = [(*before, slice(one, (one - size + 1) or None, step)) for one in range(size)]
    return paddle.stack([x[window] for window in windows], axis=-1)


def _fill_(plain: _Function, x: Any, value: Any = 0) -> Any:
    import paddle

    if not is_value(x):
        return plain(x, value)
    return becomes(x, paddle.full_like(x, value))


def _zero_(plain: _Function, x: Any) -> Any:
    return _fill_(plain, x, 0) if is_value(x) else plain(x)


def _set_value(plain: _Function, x: Any, value: Any) -> Any:
    import paddle

    if not is_value(x):
        return plain(x, value)
    return becomes(x, paddle.assign(value).astype(x.dtype).reshape(paddle.shape(x)))


def _fill_diagonal_(
    plain: _Function,
    x: Any,
    value: float,
    offset: int = 0,
    wrap: bool = False,
    name: str | None = None,
) -> Any:
    import paddle

    if not is_value(x) or wrap or len(x.shape) != 2:
        return plain(x, value, offset, wrap, name)
    rows, columns = (paddle.arange(paddle.shape(x)[axis]) for axis in range(2))
    is_there = columns.unsqueeze(0) - rows.unsqueeze(1) == offset
    return becomes(x, paddle.where(is_there, paddle.full_like(x, value), x))


def _triu(plain: _Function, x: Any, diagonal: Any = 0, name: str | None = None) -> Any:
    gap = _above(x, diagonal)
    return plain(x, diagonal, name) if gap is None else _kept(gap >= 0, x)


def _tril(plain: _Function, x: Any, diagonal: Any = 0, name: str | None = None) -> Any:
    gap = _above(x, diagonal)
    return plain(x, diagonal, name) if gap is None else _kept(gap <= 0, x)


def _above(x: Any, diagonal: Any) -> Any:
    """How far each place is above a diagonal that sizes tell, as of a mask behind earlier places;
    None where it is a number."""
    import paddle

    diagonal = getattr(diagonal, "tensor", lambda: diagonal)() if is_value(x) else diagonal
    if not is_value(diagonal):
        return None
    rows, columns = (paddle.arange(size) for size in paddle.unstack(paddle.shape(x)[-2:], num=2))
    gap = columns.unsqueeze(0) - rows.unsqueeze(1)
    return gap - diagonal.astype(gap.dtype)


def _kept(kept: Any, x: Any) -> Any:
    import paddle

    return paddle.where(kept, x, paddle.zeros_like(x))


def _transform(plain: _Function, *given: Any, **named: Any) -> Any:
    """``stft`` and ``istft`` ask the window of a layer for its length."""
    with ExitStack() as scope:
        for holder in value_classes():
            if not hasattr(holder, "__len__"):
                holder.__len__ = _places
                scope.callback(delattr, holder, "__len__")
        return plain(*given, **named)


def _places(value: Any) -> int:
    places = int(value.shape[0])
    if places < 0:
        raise TypeError("len() of a Tensor of a program whose first dimension is free")
    return places


_COUNTING: Mapping[str, _Function] = {
    "diff": _diff,
    "fft._resize_fft_input": _resize_fft_input,
    "linalg.cov": _cov,
    "isin": _isin,
    "signbit": _signbit,
    "tensor_split": _tensor_split,
}
_OF_TENSORS: Mapping[str, _Function] = {
    "Tensor.fill_": _fill_,
    "Tensor.fill_diagonal_": _fill_diagonal_,
    "Tensor.set_value": _set_value,
    "Tensor.zero_": _zero_,
    "as_strided": _as_strided,
    **dict.fromkeys(("signal.istft", "signal.stft"), _transform),
    "tril": _tril,
    "triu": _triu,
    "unfold": _unfold,
    "view": _view,
    "view_as": _view_as,
}


def counting_otherwise() -> AbstractContextManager[None]:
    """Within the scope, in any thread, functions that ask for a number do not where a size is free
    (CL457)."""
    return _written(_COUNTING)


@contextmanager
def written_for_programs(layer: Any) -> Iterator[None]:
    """Within the scope, in any thread, functions that are there for Tensors only take what stands
    for a Tensor in a program (CL458); ``layer`` is not looked at."""
    methods = {name.rpartition(".")[2]: name for name in _OF_TENSORS if "." in name}
    plain = found(_OF_TENSORS)
    with _written(_OF_TENSORS), ExitStack() as scope:
        for holder in value_classes():
            for method in methods.keys() - {*dir(holder)}:
                name = methods[method]
                setattr(holder, method, bound(_OF_TENSORS[name], plain[name]))
                scope.callback(delattr, holder, method)
        yield


def _written(functions: Mapping[str, _Function]) -> AbstractContextManager[None]:
    plain = found(functions)
    return replaced({one: bound(functions[name], one) for name, one in plain.items()})
