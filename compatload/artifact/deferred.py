"""Details that are decoded when somebody looks at them.

A program of a few megabytes has thousands of operators, and most callers look at a handful. What
must be checked is checked when the program is read; what is only needed for looking at an operator
is put off until then. Both kinds compare equal to, and pickle as, the plain objects they stand for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields
from functools import cached_property
from typing import Any, TypeVar

from compatload.artifact.model import Operator, Program

_K = TypeVar("_K")
_V = TypeVar("_V")


class DeferredMapping(Mapping[_K, _V]):
    """A read-only mapping that is built on first use."""

    def __init__(self, build: Callable[[], dict[_K, _V]]) -> None:
        self._build: Callable[[], dict[_K, _V]] | None = build
        self._content: dict[_K, _V] = {}

    def _built(self) -> dict[_K, _V]:
        if self._build is not None:
            # Two threads may both build it; they build the same.
            self._content = self._build()
            self._build = None
        return self._content

    def __getitem__(self, key: _K) -> _V:
        return self._built()[key]

    def __contains__(self, key: object) -> bool:
        return key in self._built()

    def __iter__(self) -> Iterator[_K]:
        return iter(self._built())

    def __len__(self) -> int:
        return len(self._built())

    def __repr__(self) -> str:
        return repr(self._built())

    def __reduce__(self) -> tuple[object, ...]:
        return dict, (self._built(),)


class DeferredValues(Mapping[str, _V]):
    """A read-only mapping whose values are decoded each time that they are asked for.

    Legacy operators name the lines of Python that made them, which is most of what they hold, and
    programs more variables than anybody looks at.
    """

    def __init__(self, raw: Mapping[str, Any], decode: Callable[[Any], _V]) -> None:
        self._raw = raw
        self._decode = decode

    def __getitem__(self, key: str) -> _V:
        return self._decode(self._raw[key])

    def __contains__(self, key: object) -> bool:
        return key in self._raw

    def __iter__(self) -> Iterator[str]:
        return iter(self._raw)

    def __len__(self) -> int:
        return len(self._raw)

    def __repr__(self) -> str:
        return repr(dict(self))

    def __reduce__(self) -> tuple[object, ...]:
        return dict, (dict(self),)


class DeferredOperator(Operator):
    """An operator whose inputs, outputs and kinds are decoded on first use, its attributes and
    its arity too if they are not given.

    ``detail`` gives, for the name of such a field, its value; ``layout`` is it, or gives it for an
    operator.
    """

    _detail: Callable[[str], Any]
    _layout: Callable[[Operator], object] | None

    def __init__(
        self,
        name: str,
        block: int,
        index: int,
        sub_blocks: tuple[int, ...],
        detail: Callable[[str], Any],
        attributes: Mapping[str, object] | None = None,
        layout: Callable[[Operator], object] | None = None,
        arity: tuple[int, int] | None = None,
    ) -> None:
        # A frozen dataclass sets its fields one by one, which thousands of operators would feel.
        fields = self.__dict__
        fields["name"] = name
        fields["block"] = block
        fields["index"] = index
        fields["sub_blocks"] = sub_blocks
        fields["_detail"] = detail
        if attributes is not None:
            fields["attributes"] = attributes
        fields["_layout"] = layout
        if arity is not None:
            fields["arity"] = arity

    @cached_property
    def layout(self) -> object:
        return self._layout(self) if self._layout else None

    def __getattr__(self, name: str) -> Any:
        if name not in _DETAILS:
            raise AttributeError(name)
        value = self.__dict__["_detail"](name)
        self.__dict__[name] = value
        return value

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Operator):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in _COMPARED)

    __hash__ = None  # type: ignore[assignment]  # as an operator's: it holds mappings

    def __reduce__(self) -> tuple[object, ...]:
        return Operator, tuple(getattr(self, name) for name in _FIELDS)


_FIELDS = tuple(field.name for field in fields(Operator))
_COMPARED = tuple(field.name for field in fields(Operator) if field.compare)
_DETAILS = frozenset(("inputs", "outputs", "attributes", "kinds"))


class DeferredProgram(Program):
    """A program that is decoded on the first look at any part of it but the ``known`` ones.

    ``decode`` may raise DamagedArtifactError, then and at every later look.
    """

    _decode: Callable[[], Program]

    def __init__(self, decode: Callable[[], Program], **known: Any) -> None:
        self.__dict__.update(known, _decode=decode)

    def __getattr__(self, name: str) -> Any:
        if name not in _PARTS:
            raise AttributeError(name)
        # Two threads may both decode it; they find the same.
        program = self.__dict__["_decode"]()
        self.__dict__.update({part: getattr(program, part) for part in _PARTS})
        return self.__dict__[name]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Program):
            return NotImplemented
        return self is other or all(getattr(self, part) == getattr(other, part) for part in _PARTS)

    __hash__ = None  # type: ignore[assignment]  # as a program's: it holds mappings

    def __repr__(self) -> str:
        return repr(Program(*(getattr(self, part) for part in _PARTS)))

    def __reduce__(self) -> tuple[object, ...]:
        return Program, tuple(getattr(self, part) for part in _PARTS)


_PARTS = tuple(field.name for field in fields(Program))
