"""Parts of a Tensor that share its memory, for the time of an export (CL438).

``y[1:]``, ``y.reshape(…)`` and ``y.T`` are views: what is changed in them is changed in ``y``, and
the other way round. In a program each is a value of its own, and only what a name stands for is
known to have become another value. Here is remembered which value is a view of which, and what
becomes of the one becomes of the other.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from compatload.exporting.replacing import (
    bound,
    found,
    is_value,
    methods_replaced,
    replaced,
    value_classes,
)
from compatload.frozen import frozen

_Function = Callable[..., Any]
# The same elements in the same order; the first of values that lie one behind the other only: of
# others they are a copy.
_RESHAPING = ("flatten", "reshape")
_ALIGNING = ("squeeze", "unsqueeze", "view", "view_as")
# Those of Tensors only; a program has a copy for it.
_METHODS = ("detach",)


@frozen
class _Putting:
    """``put(base, view)`` is the base with that in the view's place; ``parts``: the view's elements
    may lie apart; ``copies_apart``: of such it is no view."""

    put: _Function
    parts: bool = False
    copies_apart: bool = False


@frozen
class _View:
    """``get(base)`` is the view, and ``put(base, view)`` the base with that in its place."""

    value: Any
    root: int
    base: Any
    base_root: int
    get: _Function
    put: _Function
    # Whether its elements may lie apart.
    apart: bool


class _Views:
    """The views of the programs that are being made. A root tells the values that one Tensor of
    the layer became, one after the other."""

    def __init__(self, known: Any) -> None:
        self._known = known
        self._add = type(known).add
        self._views: list[_View] = []
        self._roots: dict[int, int] = {}
        self._latest: dict[int, Any] = {}
        self._busy = False

    def noted(self, value: Any, base: Any, get: _Function, putting: _Putting) -> Any:
        if self._busy or value is base or not is_value(value):
            return value
        root, base_root = self._root(_key(value)), self._root(_key(base))
        apart = any(view.apart for view in self._views if view.root == base_root)
        if not (apart and putting.copies_apart):
            apart = apart or putting.parts
            self._views.append(_View(value, root, base, base_root, get, putting.put, apart))
        return value

    def _root(self, key: int) -> int:
        return self._roots.get(key, key)

    def add(self, program: Any, before: Any, after: Any) -> None:
        """What Paddle is told of a value that became another."""
        self._add(self._known, program, before, after)
        if self._busy:
            return
        self._busy = True
        try:
            self._changed(program, before if isinstance(before, int) else _key(before), after)
        finally:
            self._busy = False

    def _changed(self, program: Any, key: int, after: Any) -> None:
        left: list[tuple[int, Any, _View | None]] = [(key, after, None)]
        while left:
            key, after, by = left.pop()
            root = self._root(key)
            self._roots[_key(after)] = root
            self._latest[root] = after
            for view in self._views:
                if view is by:
                    continue
                base = self._latest.get(view.base_root, view.base)
                value = self._latest.get(view.root, view.value)
                if view.root == root:
                    became, new = base, view.put(base, after)
                elif view.base_root == root:
                    became, new = value, view.get(after)
                else:
                    continue
                self._add(self._known, program, known_as(became), new)
                left.append((_key(became), new, view))


def _key(value: Any) -> int:
    known = known_as(value)
    return known if isinstance(known, int) else hash(known)


def known_as(value: Any) -> Any:
    """What Paddle's map takes for it."""
    import paddle

    return value.desc.id() if isinstance(value, paddle.static.Variable) else value


@contextmanager
def views_kept(known: Any) -> Iterator[None]:
    """Within the scope, in any thread, what changes a view changes what it is a view of; ``known``
    is Paddle's map from values to what became of them."""
    views = _Views(known)
    maps, plain = type(known), type(known).add
    ways = {
        **dict.fromkeys(_RESHAPING, _reshaped),
        **dict.fromkeys(_ALIGNING, _aligned),
        "transpose": _transposed,
    }
    methods = {
        "__getitem__": _noting(views, _part),
        **dict.fromkeys(_METHODS, _noting(views, _same)),
    }
    functions = {one: bound(_noting(views, ways[name]), one) for name, one in found(ways).items()}
    with ExitStack() as scope:
        maps.add = lambda _, program, before, after: views.add(program, before, after)
        scope.callback(setattr, maps, "add", plain)
        scope.enter_context(replaced(functions))
        scope.enter_context(methods_replaced(methods))
        for holder in value_classes():
            turned = holder.__dict__.get("T")
            if turned is not None:
                holder.T = property(bound(_noting(views, _turned), turned.__get__))
                scope.callback(setattr, holder, "T", turned)
        yield


def _noting(views: _Views, putting: _Function) -> _Function:
    """A function that gives a view of its first argument; ``putting`` tells of the others how such
    a view is put back, or None where it is no view."""

    def view_of(plain: _Function, base: Any, *given: Any, **named: Any) -> Any:
        value = plain(base, *given, **named)
        known = putting(*given, **named) if is_value(base) else None
        if known is None:
            return value
        get = functools.partial(_again, plain, given, named)
        return views.noted(value, base, get, known)

    return view_of


def _again(plain: _Function, given: tuple[Any, ...], named: dict[str, Any], base: Any) -> Any:
    return plain(base, *given, **named)


def _part(index: Any) -> _Putting | None:
    import paddle

    places = index if isinstance(index, tuple) else (index,)
    if any(isinstance(one, bool) for one in places):
        return None
    if not all(one is None or isinstance(one, (int, slice, type(...))) for one in places):
        return None
    first = places[0] if len(places) == 1 else ...
    apart = first is ... or (isinstance(first, slice) and first.step is not None)
    return _Putting(lambda base, view: paddle.static.setitem(base, index, view), parts=apart)


def _same(*_: Any) -> _Putting:
    return _Putting(lambda base, view: view)


def _aligned(*_: Any, **__: Any) -> _Putting:
    import paddle

    return _Putting(lambda base, view: paddle.reshape(view, paddle.shape(base)))


def _reshaped(*_: Any, **__: Any) -> _Putting:
    return _Putting(_aligned().put, copies_apart=True)


def _turned() -> _Putting:
    return _Putting(lambda base, view: view.T, parts=True)


def _transposed(perm: Any, *_: Any, **__: Any) -> _Putting:
    import paddle

    back = sorted(range(len(perm)), key=lambda axis: perm[axis] % len(perm))
    return _Putting(lambda base, view: paddle.transpose(view, back), parts=True)
