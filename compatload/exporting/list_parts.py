"""Lists of Tensors from their end, which Paddle does not know in a program: ``outputs[::-1]``."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from compatload.exporting.replacing import Function, is_list, methods_replaced


@contextmanager
def lists_turned() -> Iterator[None]:
    """Within the scope, in any thread, a list of a program has parts in reversed order."""
    with methods_replaced({"__getitem__": _parts}):
        yield


def _parts(plain: Function, value: Any, place: Any) -> Any:
    if not isinstance(place, slice) or not is_list(value):
        return plain(value, place)
    step = 1 if place.step is None else place.step
    return plain(value, place) if step == 1 else _turned(value, place)


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
        going, filled, [length * 0, paddle.tensor.create_array("float32")]
    )
    return found


def _within(place: Any, length: Any) -> Any:
    """The place that a slice backwards begins or ends at: -1 is in front of the first."""
    import paddle

    counted = place + length if isinstance(place, int) and place < 0 else length * 0 + place
    return paddle.clip(paddle.minimum(counted, length - 1), min=-1)
