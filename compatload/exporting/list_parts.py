"""Lists of Tensors from their end and joined, which Paddle does not know in a program:
``outputs[::-1]``, ``[first] + outputs``."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

from compatload.exporting.replacing import Function, is_list, methods_replaced


def lists_taken_apart() -> AbstractContextManager[None]:
    """A scope in which, in any thread, a list of a program has parts in reversed order, and one
    list may be added to another."""
    return methods_replaced(
        {"__getitem__": _parts, "__add__": _with_another, "__radd__": _behind_another}
    )


def concatenated(plain: Function, x: Any, *others: Any, **named: Any) -> Any:
    """``paddle.concat``; of a list of a program of 3.x one after the other: at once, all parts must
    be of one size."""
    import paddle

    if not is_list(x) or not hasattr(x, "is_dense_tensor_array_type"):
        return plain(x, *others, **named)
    length = paddle.tensor.array_length(x)

    def going(place: Any, whole: Any) -> Any:
        return place < length

    def longer(place: Any, whole: Any) -> Any:
        return place + 1, plain([whole, paddle.tensor.array_read(x, place)], *others, **named)

    first = paddle.tensor.array_read(x, length * 0)
    return paddle.static.nn.while_loop(going, longer, [length * 0 + 1, first])[1]


def _parts(plain: Function, value: Any, place: Any) -> Any:
    if isinstance(place, slice) and is_list(value) and place.step not in (None, 1):
        return _turned(value, place)
    return plain(value, place)


def _with_another(plain: Function, value: Any, other: Any) -> Any:
    return _joined(value, other) if _are_lists(value, other) else plain(value, other)


def _behind_another(plain: Function, value: Any, other: Any) -> Any:
    return _joined(other, value) if _are_lists(value, other) else plain(value, other)


def _are_lists(*both: Any) -> bool:
    return any(map(is_list, both)) and all(isinstance(one, list) or is_list(one) for one in both)


def _joined(first: Any, second: Any) -> Any:
    """A list of its own, of the parts of both."""
    import paddle

    found = paddle.tensor.create_array(next(one.dtype for one in (first, second) if is_list(one)))
    for parts in (first, second):
        end = paddle.tensor.array_length(found)
        if is_list(parts):
            length = paddle.tensor.array_length(parts)
            found = _with_parts(found, end, parts, length, lambda turn: turn)
        else:
            for place, part in enumerate(parts):
                found = paddle.tensor.array_write(part, end + place, found)
    return found


def _turned(value: Any, place: slice) -> Any:
    """A list of its own, which is filled from the end of the other."""
    import paddle

    if place.step != -1:
        raise TypeError(f"a list of a program is read in steps of 1 or -1, not of {place.step}")
    length = paddle.tensor.array_length(value)
    first = length - 1 if place.start is None else _within(place.start, length)
    last = length * 0 - 1 if place.stop is None else _within(place.stop, length)

    empty = paddle.tensor.create_array(value.dtype)
    return _with_parts(empty, length * 0, value, first - last, lambda turn: first - turn)


def _with_parts(found: Any, end: Any, value: Any, number: Any, place: Callable[[Any], Any]) -> Any:
    """The list ``found``, which ends there, with so many parts of another, by their places."""
    import paddle

    def going(turn: Any, filled: Any) -> Any:
        return turn < number

    def filled_further(turn: Any, filled: Any) -> Any:
        part = paddle.tensor.array_read(value, place(turn))
        return turn + 1, paddle.tensor.array_write(part, end + turn, filled)

    return paddle.static.nn.while_loop(going, filled_further, [number * 0, found])[1]


def _within(place: Any, length: Any) -> Any:
    """The place that a slice backwards begins or ends at: -1 is in front of the first."""
    import paddle

    counted = place + length if isinstance(place, int) and place < 0 else length * 0 + place
    return paddle.clip(paddle.minimum(counted, length - 1), min=-1)
