"""Functions that stand in place of Paddle's own for the time of an export."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any

Function = Callable[..., Any]
# By the names of 3.2 and earlier and of later ones.
_LISTS = frozenset({"LOD_TENSOR_ARRAY", "DENSE_TENSOR_ARRAY"})


def found(names: Mapping[str, Any]) -> dict[str, Function]:
    """The functions of Paddle by those names, without what this release does not have."""
    import paddle

    functions = {}
    for name in names:
        try:
            functions[name] = functools.reduce(getattr, name.split("."), paddle)
        except AttributeError:
            continue
    return functions


def bound(other: Function, plain: Function) -> Function:
    """``other``, which is given the function that it stands for first, under that one's name."""

    @functools.wraps(plain)
    def call(*given: Any, **named: Any) -> Any:
        return other(plain, *given, **named)

    return call


@contextmanager
def replaced(functions: Mapping[Function, Function]) -> Iterator[None]:
    """Within the scope, in any thread, every module and every class of Tensors that holds one of
    them holds the other instead: code of Paddle calls its own functions by the names of modules,
    and models by names that they imported."""
    by_id = {id(plain): other for plain, other in functions.items()}
    before: list[tuple[Any, str, Any]] = []
    for holder in (*list(sys.modules.values()), *tensor_classes()):
        for name, one in list(getattr(holder, "__dict__", {}).items()):
            if id(one) in by_id:
                before.append((holder, name, one))
    try:
        for holder, name, one in before:
            setattr(holder, name, by_id[id(one)])
        yield
    finally:
        for holder, name, one in before:
            setattr(holder, name, one)


@contextmanager
def methods_replaced(others: Mapping[str, Function]) -> Iterator[None]:
    """Within the scope, in any thread, methods of what stands for a Tensor in a program, as far as
    its classes have them themselves, are others, which are given the plain one first."""
    with ExitStack() as scope:
        for holder in value_classes():
            for name, other in others.items():
                if name in holder.__dict__:
                    plain = holder.__dict__[name]
                    setattr(holder, name, bound(other, plain))
                    scope.callback(setattr, holder, name, plain)
        yield


def tensor_classes() -> tuple[Any, ...]:
    """Of Tensors, and of what stands for one in a program."""
    import paddle

    return (paddle.Tensor, *value_classes())


def is_value(one: Any) -> bool:
    """Whether it stands for a Tensor in a program."""
    return isinstance(one, value_classes())


def values_of(numbers: Iterable[Any], dtype: Any) -> list[Any]:
    """Values of that type, of what stands for Tensors and of numbers of Python."""
    import paddle

    return [one.astype(dtype) if is_value(one) else paddle.full([], one, dtype) for one in numbers]


def is_list(one: Any) -> bool:
    """Whether it stands for a list of Tensors in a program."""
    if not is_value(one):
        return False
    if hasattr(one, "is_dense_tensor_array_type"):
        return bool(one.is_dense_tensor_array_type())
    return one.type.name in _LISTS


def value_classes() -> tuple[Any, ...]:
    """Of what stands for a Tensor in a program; 2.6 has no Value."""
    import paddle

    known = (getattr(paddle.pir, "Value", None), paddle.static.Variable)
    return tuple(one for one in known if one is not None)
