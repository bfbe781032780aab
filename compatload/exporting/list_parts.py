"""Lists of Tensors from their end, which Paddle does not know in a program: ``outputs[::-1]``."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any

from compatload.exporting.replacing import Function, is_list, methods_replaced


def lists_turned() -> AbstractContextManager[None]:
    """A scope in which, in any thread, a list of a program has parts in reversed order."""
    return methods_replaced({"__getitem__": _parts})


def _parts(plain: Function, value: Any, place: Any) -> Any:
    if isinstance(place, slice) and is_list(value) and place.step not in (None, 1):
        return _turned(value, place)
    return plain(value, place)


def _turned(value: Any, place: slice) -> Any:
    """A list of its own, which is filled from the end of the other."""
    import paddle

    if place.step != -1:
        raise TypeError(f"a list of a program is read in steps of 1 or -1, not of {place.step}")
    length = paddle.tensor.array_length(value)
    first = length - 1 if place.start is None else _within(place.start, length)
    last = length * 0 - 1 if place.stop is None else _within(place.stop, length)

    def going(turn: Any, found: Any) -> Any:
        return first - turn > last

    def filled(turn: Any, found: Any) -> Any:
        found = paddle.tensor.array_write(
            paddle.tensor.array_read(value, first - turn), turn, found
        )
        return turn + 1, found

    _, found = paddle.static.nn.while_loop(
        going, filled, [length * 0, paddle.tensor.create_array(value.dtype)]
    )
    return found


def _within(place: Any, length: Any) -> Any:
    """The place that a slice backwards begins or ends at: -1 is in front of the first."""
    import paddle

    counted = place + length if isinstance(place, int) and place < 0 else length * 0 + place
    return paddle.clip(paddle.minimum(counted, length - 1), min=-1)
