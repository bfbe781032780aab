"""Frozen dataclasses that are quickly made.

``dataclass(frozen=True)`` compiles six methods a class, 0.7 ms, and thirty classes took two thirds
of the time in which a service's first load imports what it needs. Of these only ``__init__`` is
compiled; the other methods are the same functions for all of them.
"""

from __future__ import annotations

import sys
from dataclasses import FrozenInstanceError, dataclass, field, fields, is_dataclass
from operator import attrgetter
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any, Callable, TypeVar, cast

if TYPE_CHECKING:
    if sys.version_info >= (3, 11):
        from typing import dataclass_transform
    else:
        from typing_extensions import dataclass_transform
else:

    def dataclass_transform(**_: Any) -> Callable[[Any], Any]:
        return lambda decorator: decorator


_T = TypeVar("_T")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen(cls: type[_T]) -> type[_T]:
    """``dataclass(frozen=True)``: compared and hashed by value, shown in full, never changed."""
    if any(is_dataclass(base) for base in cls.__mro__[1:]):
        return dataclass(frozen=True)(cls)  # whose own methods it has to combine with
    own = vars(cls)
    methods = {name: method for name, method in _METHODS.items() if name not in own}
    made: Any = dataclass(repr=False, eq=False)(cls)
    made.__dataclass_params__.frozen = True  # for its subclasses
    for name, method in methods.items():
        setattr(made, name, method)
    made.__compared__ = _values(*(each.name for each in fields(made) if each.compare))
    return cast("type[_T]", made)


def _values(*names: str) -> Callable[[Any], tuple[Any, ...]]:
    """Gives an object's values of these names; a check compares and hashes tens of thousands."""
    if len(names) > 1:
        return attrgetter(*names)
    return lambda self: tuple(getattr(self, name) for name in names)


@recursive_repr()
def _repr(self: Any) -> str:
    shown = (f"{each.name}={getattr(self, each.name)!r}" for each in fields(self) if each.repr)
    return f"{type(self).__qualname__}({', '.join(shown)})"


def _eq(self: Any, other: Any) -> Any:
    if type(other) is not type(self):
        return NotImplemented
    values = type(self).__compared__
    return values(self) == values(other)


def _hash(self: Any) -> int:
    return hash(type(self).__compared__(self))


def _setattr(self: Any, name: str, value: object) -> None:
    # __init__ sets each field once.
    if name in self.__dict__ or name not in self.__dataclass_fields__:
        raise FrozenInstanceError(f"cannot assign to field {name!r}")
    self.__dict__[name] = value


def _delattr(self: Any, name: str) -> None:
    raise FrozenInstanceError(f"cannot delete field {name!r}")


_METHODS: dict[str, Callable[..., Any]] = {
    "__repr__": _repr,
    "__eq__": _eq,
    "__hash__": _hash,
    "__setattr__": _setattr,
    "__delattr__": _delattr,
}
