"""The first turn of a loop whose states become what they were not, in front of the loop.

A cache that is None before the first token, a dict that gets its keys in the first turn: a loop of
a program gives back what it is given, so Paddle refuses those (CL404, CL409). Behind one turn they
are what they stay. Whether there is a turn at all is asked in the program: the turn and the loop
stand in a branch. Where there was none, what had been nothing is zeros: nothing may be read of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from compatload.exporting.loop_states import LoopStates, all_copied
from compatload.exporting.replacing import is_list, is_value

_Call = Callable[[], Any]
_Path = tuple[Any, ...]


def begin_as_nothing(states: Sequence[Any]) -> bool:
    """Whether one, or a part of one, is None, or a dict, which may have more keys later."""
    return any(isinstance(one, dict) for one in states) or _hold_nothing(states)


def _hold_nothing(states: Sequence[Any]) -> bool:
    return any(leaf is None for _, leaf in _leaves(states))


def with_first_turn(
    cond: _Call, body: _Call, states: LoopStates, loop: Callable[[_Call, _Call], None]
) -> None:
    """The first turn and the rest of a loop, in a branch of the program.

    Args:
        cond, body: of the loop; both read and change what the states' names stand for.
        loop: makes a loop of these, which begins with what they stand for by then.
    """
    import paddle

    states.make_lists()
    before = _replaced(states.values(), {})  # a dict may be changed itself
    begun, after, changed = dict(_leaves(before)), list[Any](), dict[_Path, Any]()

    def turn() -> None:
        """A state that becomes a part of another one is a copy: 3.x would give the part itself,
        which is there in the loop alone."""
        body()
        states.set(all_copied(_made_again(states.values(), before)))

    def turns() -> list[Any]:
        turn()
        if _hold_nothing(states.values()) and _parts(states.values()) != _parts(before):
            with_first_turn(cond, body, states, loop)  # what zip gives of a list that had nothing
        else:
            loop(cond, turn)
        after.extend(_made_again(states.values(), before))
        changed.update(_changed(after, begun))
        return [*map(_as_value, changed.values())]

    def no_turn() -> list[Any]:
        return [_without_turn(begun.get(path), leaf) for path, leaf in changed.items()]

    given = paddle.static.nn.cond(cond(), turns, no_turn)
    given = given if isinstance(given, (list, tuple)) else [given]
    states.set(_replaced(after, dict(zip(changed, given))))


def _made_again(states: Sequence[Any], before: Sequence[Any]) -> list[Any]:
    """Without the lists that each turn makes for itself. Paddle makes a list of the program of what
    it finds filled in front of a loop, and what a turn filled is of that turn alone."""
    from paddle.jit.dy2static.utils import UndefinedVar

    return [
        was if isinstance(one, list) and isinstance(was, UndefinedVar) else one
        for one, was in zip(states, before)
    ]


def _changed(after: Sequence[Any], begun: dict[_Path, Any]) -> Iterator[tuple[_Path, Any]]:
    """Tensors, numbers and lists of the states that the branch gives. A list that is changed where
    it is, as 2.6 does, is no other one."""
    for path, leaf in _leaves(after):
        is_given = is_value(leaf) or isinstance(leaf, (bool, int, float))
        if is_given and leaf is not begun.get(path):
            yield path, leaf


def _leaves(states: Any, path: _Path = ()) -> Iterator[tuple[_Path, Any]]:
    if isinstance(states, dict):
        parts: Iterator[tuple[Any, Any]] = iter(states.items())
    elif isinstance(states, (list, tuple)):
        parts = enumerate(states)
    else:
        yield path, states
        return
    for place, part in parts:
        yield from _leaves(part, (*path, place))


def _parts(states: Sequence[Any]) -> dict[_Path, bool]:
    """The structure of the states: where something is, and whether it is nothing."""
    return {path: leaf is None for path, leaf in _leaves(states)}


def _replaced(states: Any, others: dict[_Path, Any], path: _Path = ()) -> Any:
    if isinstance(states, dict):
        parts = {key: _replaced(part, others, (*path, key)) for key, part in states.items()}
        return type(states)(parts)
    if isinstance(states, (list, tuple)):
        found = [_replaced(part, others, (*path, n)) for n, part in enumerate(states)]
        return type(states)(*found) if hasattr(states, "_fields") else type(states)(found)
    return others.get(path, states)


def _as_value(leaf: Any) -> Any:
    import paddle

    return leaf if is_value(leaf) else paddle.full([], leaf, _type_of(leaf))


def _without_turn(begun: Any, leaf: Any) -> Any:
    """What a state is where no turn is taken; as zeros of the type that a turn gives it."""
    import paddle

    if is_list(begun):
        return begun
    if is_value(begun):
        return paddle.assign(begun)
    if isinstance(begun, (bool, int, float)):
        return paddle.full([], begun, _type_of(leaf))
    sizes = [max(size, 1) for size in leaf.shape] if is_value(leaf) else []
    return paddle.zeros(sizes, _type_of(leaf))


def _type_of(leaf: Any) -> Any:
    if is_value(leaf):
        return leaf.dtype
    return {bool: "bool", int: "int64", float: "float32"}[type(leaf)]
