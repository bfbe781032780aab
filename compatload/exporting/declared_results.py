"""What Paddle declares wrongly of a result while it makes a program.

Sizes (CL457): ``rfft`` of an axis of unknown length is said to have one place (-1 // 2 + 1), and a
sum along all of several free axes as well. What then takes a part of it (``[:, :6]``) takes "all of
one place": Paddle leaves the cut out, in silence (3.1.0 to 3.3.1; 3.0 refuses such an ``rfft``).

Types (CL459): ``all`` of numbers is said to be of their type, and is a bool. Paddle leaves out a
cast to that type, and what computes with it fails when the program is run (3.0.0 to 3.3.1).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from compatload.operators.mistyped import AS_GIVEN

_UNKNOWN = -1

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


class DeclaredResults:
    """Within the scope the results of such operators are declared as they are, in the programs that
    this process makes, also in other threads."""

    def __init__(self) -> None:
        self._counted: set[str] = set()
        self._typed: set[str] = set()
        self._plain: dict[str, Any] = {}

    def __enter__(self) -> None:
        import paddle

        if not hasattr(getattr(paddle.pir, "Value", None), "set_shape"):
            return  # 2.6 has no program of PIR
        for name in (*_MISCOUNTED, *AS_GIVEN):
            if hasattr(paddle._C_ops, name):
                self._plain[name] = getattr(paddle._C_ops, name)
                setattr(paddle._C_ops, name, self._telling(name))

    def __exit__(self, *_: object) -> None:
        import paddle

        for name, plain in self._plain.items():
            setattr(paddle._C_ops, name, plain)
        self._plain.clear()

    def _telling(self, name: str) -> Callable[..., Any]:
        import paddle

        value, plain = paddle.pir.Value, self._plain[name]

        def tell(*given: Any, **named: Any) -> Any:
            result = plain(*given, **named)
            if isinstance(result, value):
                self._tell(name, given, result)
            return result

        return tell

    def _tell(self, name: str, given: Sequence[Any], result: Any) -> None:
        if name in _MISCOUNTED:
            before = [*result.shape]
            true = _MISCOUNTED[name](given, [*before])
            if true != before:
                result.set_shape(true)
                self._counted.add(name)
        elif str(result.dtype).rpartition(".")[2].lower() != AS_GIVEN[name]:
            result.set_type(_type_like(result, AS_GIVEN[name]))
            self._typed.add(name)

    def told(self) -> tuple[str, ...]:
        """In words, for the record; nothing where all was declared as it is."""
        sizes, types = (", ".join(sorted(names)) for names in (self._counted, self._typed))
        return (
            *([f"sizes stay unknown that Paddle counts wrongly: {sizes} (CL457)"] if sizes else ()),
            *(
                [f"types as they are, not as Paddle declares them: {types} (CL459)"]
                if types
                else ()
            ),
        )


def _type_like(result: Any, dtype: str) -> Any:
    """The type of a Tensor of that shape. Paddle gives none but a value's: nothing reads this one,
    and it does not come into the file."""
    import paddle

    one = paddle.full([], 0, dtype)
    return paddle.base.libpaddle.pir.create_shaped_type(one.type(), [*result.shape])
