"""Sizes that Paddle counts from -1, which stands for an unknown one, while it makes a program.

``rfft`` of an axis of unknown length is said to have one place (-1 // 2 + 1), and a sum along all
of several free axes as well. What then takes a part of it (``[:, :6]``) takes "all of one place":
Paddle leaves the cut out, in silence (3.1.0 to 3.3.1; 3.0 refuses such an ``rfft``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

_UNKNOWN = -1
RULE = "CL457"

# What the operator is called with, and the sizes that its result is said to have → those it has.
_Sizes = Callable[[Sequence[Any], "list[int]"], "list[int]"]


def _of_halves(given: Sequence[Any], sizes: list[int]) -> list[int]:
    """Of a transform along axes of real numbers, the last of which gives half as many."""
    source, axes = given[0], given[1]
    last = axes[-1] % len(sizes)
    if source.shape[last] == _UNKNOWN:
        sizes[last] = _UNKNOWN
    return sizes


def _of_all(given: Sequence[Any], sizes: list[int]) -> list[int]:
    """Of what makes one axis of all."""
    flattened = len(sizes) == 1 and len(given[0].shape) != 1
    return [_UNKNOWN] if flattened and _UNKNOWN in given[0].shape else sizes


_MISCOUNTED: Mapping[str, _Sizes] = {
    "cumsum": _of_all,
    "fft_r2c": _of_halves,
    "logcumsumexp": _of_all,
}


class UnknownSizes:
    """Within the scope such sizes are unknown in the programs that this process makes, also in
    other threads."""

    def __init__(self) -> None:
        self._kept: set[str] = set()
        self._plain: dict[str, Any] = {}

    def __enter__(self) -> None:
        import paddle

        if not hasattr(getattr(paddle.pir, "Value", None), "set_shape"):
            return  # 2.6 has no program of PIR
        for name, sizes in _MISCOUNTED.items():
            if hasattr(paddle._C_ops, name):
                self._plain[name] = getattr(paddle._C_ops, name)
                setattr(paddle._C_ops, name, self._telling(name, sizes))

    def __exit__(self, *_: object) -> None:
        import paddle

        for name, plain in self._plain.items():
            setattr(paddle._C_ops, name, plain)
        self._plain.clear()

    def _telling(self, name: str, sizes: _Sizes) -> Callable[..., Any]:
        import paddle

        value, plain = paddle.pir.Value, self._plain[name]

        def tell(*given: Any, **named: Any) -> Any:
            result = plain(*given, **named)
            if isinstance(result, value):
                before = [*result.shape]
                true = sizes(given, [*before])
                if true != before:
                    result.set_shape(true)
                    self._kept.add(name)
            return result

        return tell

    def told(self) -> tuple[str, ...]:
        """In words, for the record; nothing where no size was miscounted."""
        names = ", ".join(sorted(self._kept))
        return (
            (f"sizes stay unknown that Paddle counts wrongly: {names} ({RULE})",) if names else ()
        )
