"""Functions of numpy on what stands for a Tensor in a program, as functions of Paddle (CL412).

``x.numpy()`` in the code of a model leaves the graph: while a program is made there are no numbers.
Here it is the value itself, and what the code asks numpy for is asked of Paddle, with numpy's
defaults and, for what numpy makes of whole numbers, its types. What is not written here is refused
as before.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from compatload.exporting.replacing import bound, is_value, value_classes, values_of

_Compute = Callable[..., Any]

# As Paddle calls them, too.
_OF_ONE = (
    "abs", "ceil", "cos", "exp", "expm1", "floor", "isfinite", "isinf", "isnan", "log", "log10",
    "log1p", "log2", "logical_not", "sign", "sin", "sqrt", "square", "tan", "tanh",
)  # fmt: skip
_OF_TWO = {
    **{name: name for name in ("add", "maximum", "minimum", "multiply", "subtract")},
    **{name: name for name in ("equal", "greater", "greater_equal", "less", "less_equal")},
    **{name: name for name in ("logical_and", "logical_or", "matmul", "not_equal")},
    "divide": "divide",
    "true_divide": "divide",
    "power": "pow",
    "mod": "mod",
    "greater": "greater_than",
    "less": "less_than",
    "floor_divide": "floor_divide",
}
# With the same arguments in the same order, as far as those are given by place.
_AS_GIVEN = {
    **{name: name for name in ("broadcast_to", "dot", "outer", "tile", "tril", "triu")},
    **{name: name for name in ("full_like", "ones_like", "zeros_like")},
    "repeat": "repeat_interleave",
}
_WITH_TYPE = 2  # arguments of ``ones`` and ``zeros``
_REDUCING = ("all", "any", "max", "mean", "min", "prod", "sum")


def _reduce(name: str) -> _Compute:
    def compute(x: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
        if name == "mean" and is_whole(x):
            x = x.astype("float64")
        return _paddle(name)(x, axis=axis, keepdim=keepdims)

    return compute


def _spread(name: str) -> _Compute:
    def compute(x: Any, axis: Any = None, *, ddof: int = 0, keepdims: bool = False) -> Any:
        if ddof not in (0, 1):
            return NotImplemented
        return _paddle(name)(x, axis=axis, unbiased=bool(ddof), keepdim=keepdims)

    return compute


def _place(name: str) -> _Compute:
    def compute(x: Any, axis: Any = None) -> Any:
        return _paddle(name)(x, axis=axis)

    return compute


def _of_numbers(name: str) -> _Compute:
    """Made of a size: a whole number of numpy has 64 bits, and a fraction, too."""

    def compute(*given: Any, dtype: Any = None) -> Any:
        if name in ("ones", "zeros") and len(given) == _WITH_TYPE:
            given, dtype = given[:1], given[1]
        default = "int64" if name == "arange" else "float64"
        if name == "arange" and any(isinstance(one, float) for one in given):
            default = "float64"
        return _paddle(name)(*given, dtype=_type(dtype) or default)

    return compute


def _full(shape: Any, value: Any, dtype: Any = None) -> Any:
    default = "int64" if isinstance(value, int) else "float64"
    return _paddle("full")(shape, value, dtype=_type(dtype) or default)


def _array(one: Any, dtype: Any = None) -> Any:
    if not is_value(one):
        one = _paddle("stack")([part if is_value(part) else _array(part) for part in one])
    return one if dtype is None else one.astype(_type(dtype))


def _where(condition: Any, one: Any, other: Any) -> Any:
    return _paddle("where")(condition, *_of_one_type(one, other))


def _of_one_type(*given: Any) -> list[Any]:
    """Numbers beside arrays, of the type that numpy gives both: a fraction makes whole ones so."""
    values = [as_tensor(one) for one in given]
    known = [one for one in values if is_value(one)]
    if any(isinstance(one, float) for one in values) and all(map(is_whole, known)):
        dtype: Any = "float64"
    elif not known:
        dtype = "int64"
    else:
        dtype = next((one.dtype for one in known if not is_whole(one)), known[0].dtype)
    return values_of(values, dtype)


def is_whole(value: Any) -> bool:
    return "int" in str(value.dtype).lower()


def as_tensor(one: Any) -> Any:
    """An array of numpy as a constant of the program; all else as it is."""
    import numpy
    import paddle

    return paddle.to_tensor(one) if isinstance(one, numpy.ndarray) else one


def _clip(x: Any, a_min: Any = None, a_max: Any = None) -> Any:
    return _paddle("clip")(x, a_min, a_max)


def _transpose(x: Any, axes: Any = None) -> Any:
    return _paddle("transpose")(x, axes or list(range(len(x.shape)))[::-1])


def _joined(name: str) -> _Compute:
    def compute(values: Any, axis: int = 0) -> Any:
        return _paddle(name)(list(values), axis=axis)

    return compute


def _two(name: str) -> _Compute:
    def compute(one: Any, other: Any) -> Any:
        return _paddle(name)(*_of_one_type(one, other))

    return compute


def half_to_even(x: Any) -> Any:
    """Rounded as Python and numpy do; Paddle 2.6 rounds halves away from zero."""
    floor = _paddle("floor")
    upper = floor(x + 0.5)
    is_odd = floor(upper / 2) * 2 != upper
    is_half = upper - x == 0.5
    return upper - _paddle("logical_and")(is_half, is_odd).astype(x.dtype)


def _round(x: Any, decimals: int = 0) -> Any:
    return half_to_even(x) if decimals == 0 else NotImplemented


def _along(name: str, axis: Any) -> _Compute:
    return lambda x, axis=axis: _paddle(name)(x, axis=axis)


def _paddle(name: str) -> _Compute:
    import paddle

    function: _Compute = getattr(paddle, name)
    return function


def _type(dtype: Any) -> str | None:
    import numpy

    return None if dtype is None else str(numpy.dtype(dtype))


@functools.cache
def numpy_functions() -> Mapping[Any, _Compute]:
    """Each function of numpy that is written here, and what computes it of values."""
    import numpy

    written: dict[str, _Compute] = {
        **{name: functools.partial(_call, name) for name in _OF_ONE},
        **{name: _two(other) for name, other in _OF_TWO.items()},
        **{name: _reduce(name) for name in _REDUCING},
        **{name: _spread(name) for name in ("std", "var")},
        **{name: _place(name) for name in ("argmax", "argmin")},
        **{name: _of_numbers(name) for name in ("arange", "ones", "zeros", "linspace", "eye")},
        **{name: _along(name, -1) for name in ("sort", "argsort")},
        **{name: _joined(other) for name, other in (("concatenate", "concat"), ("stack", "stack"))},
        "array": _array, "asarray": _array, "ascontiguousarray": _array, "clip": _clip,
        "cumsum": _along("cumsum", None), "full": _full, "transpose": _transpose, "where": _where,
        **{name: functools.partial(_given, name) for name in _AS_GIVEN},
        "expand_dims": lambda x, axis: _paddle("unsqueeze")(x, axis),
        "flip": _along("flip", None), "negative": lambda x: -x,
        "ravel": lambda x: _paddle("reshape")(x, [-1]),
        "round": _round,
        "reshape": lambda x, shape: _paddle("reshape")(x, shape),
        "squeeze": _along("squeeze", None),
    }  # fmt: skip
    return {getattr(numpy, name): compute for name, compute in written.items()}


def _call(name: str, x: Any) -> Any:
    return _paddle(name)(x)


def _given(name: str, *given: Any, **named: Any) -> Any:
    if "dtype" in named:
        named["dtype"] = _type(named["dtype"])
    if "k" in named:
        named["diagonal"] = named.pop("k")
    return _paddle(_AS_GIVEN[name])(*given, **named)


@contextmanager
def arrays_are_values() -> Iterator[None]:
    """Within the scope, in any thread, ``numpy()`` and ``tolist()`` of what stands for a Tensor
    give what stands for its numbers."""
    before = [
        (holder, name, holder.__dict__.get(name))
        for holder in value_classes()
        for name in ("numpy", "tolist", "copy", "__array_ufunc__", *_REDUCING)
    ]
    from paddle.jit import not_to_static

    try:
        for holder in value_classes():
            holder.numpy, holder.tolist = not_to_static(_itself), not_to_static(_parts)
            holder.copy = not_to_static(_itself)
            for name in _REDUCING:
                if hasattr(holder, name):
                    setattr(holder, name, bound(_with_keepdims, getattr(holder, name)))
            holder.__array_ufunc__ = None  # numpy leaves ``array * value`` to the value
        yield
    finally:
        for holder, name, one in before:
            if one is None:
                delattr(holder, name)
            else:
                setattr(holder, name, one)


def _with_keepdims(plain: _Compute, *given: Any, **named: Any) -> Any:
    if "keepdims" in named:
        named["keepdim"] = named.pop("keepdims")
    return plain(*given, **named)


def _itself(value: Any) -> Any:
    """What is written into it is not written into the Tensor."""
    return _paddle("assign")(value)


def _parts(value: Any) -> Any:
    sizes = [int(size) for size in value.shape]
    if not sizes:
        return value
    if sizes[0] < 0:
        raise TypeError(f"a list of a free number of parts (shape {sizes})")
    return [_parts(value[place]) for place in range(sizes[0])]
