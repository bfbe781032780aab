"""Loops whose states are values of their own, for the time of an export (CL422).

2.6 has a loop write into the very variables that its states begin as: two that begin as one
(``a = b = zeros``) are one variable, and one that begins as an input (``h = x``) overwrites it. It
assigns states one after the other, in an order of chance: of ``a, b = b, a % b`` it may take the
new ``b`` for ``a``. What is saved then gives other numbers, and too few outputs. A loop of 3.x
frees what it begins with, and what reads ``x`` behind it finds nothing (CL154); one that gives a
list's item to another place of it ends the process (CL408).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from compatload.exporting.replacing import is_value

# Variables of one tensor, by the names of 3.2 and earlier and of later ones; others are lists.
_TENSORS = frozenset({"LOD_TENSOR", "DENSE_TENSOR"})
LOOP = "_run_paddle_while"
# Of lists what a program has for them; 2.6 writes it with another letter.
_MAKING = ("_convert_tensor_array_if_necessary", "_convert_tensor_arrray_if_necessary")


class LoopStates:
    """What the names stand for that a converted loop changes, by Paddle's own functions."""

    def __init__(
        self,
        getter: Callable[[], Any],
        setter: Callable[[Any], Any],
        return_name_ids: Sequence[str] | None = None,
        push_pop_names: Sequence[str] | None = None,
    ) -> None:
        from paddle.jit.dy2static.convert_operators import GetterSetterHelper

        self._helper = GetterSetterHelper(getter, setter, return_name_ids, push_pop_names)
        self._grown = frozenset(push_pop_names or ())
        self._names = sorted({*(return_name_ids or ()), *self._grown})

    def values(self) -> list[Any]:
        return list(self._helper.get(self._names) or ())

    def make_lists(self) -> None:
        """What the loop appends to is a list of the program from here on, in front of any branch:
        one that is made within it is there within it alone."""
        from paddle.jit.dy2static import convert_operators

        make = next(
            getattr(convert_operators, name) for name in _MAKING if hasattr(convert_operators, name)
        )
        make(self._helper, [
            name for name, one in zip(self._names, self.values())
            if name in self._grown and isinstance(one, list) and all(map(is_value, one))
        ])  # fmt: skip

    def set(self, values: Sequence[Any]) -> None:
        self._helper.set(self._names, list(values))


def all_copied(states: Any) -> Any:
    """States, nested in any way, with a copy for each Tensor; lists of a program stay."""
    import paddle

    own = getattr(paddle.pir, "Value", ())

    def copied(value: Any) -> Any:
        is_variable = isinstance(value, paddle.static.Variable) and value.type.name in _TENSORS
        is_value = isinstance(value, own) and value.is_dense_tensor_type()
        return paddle.assign(value) if is_variable or is_value else value

    return paddle.utils.map_structure(copied, states)


@contextmanager
def states_copied(layer: Any) -> Iterator[None]:
    """Loops that are converted in the scope, in any thread, begin with copies."""
    import paddle
    from paddle.jit.dy2static import convert_operators

    plain, assigning = getattr(convert_operators, LOOP, None), paddle.static.nn.while_loop
    if plain is None:  # a release that nobody has measured
        yield
        return

    def run(
        cond: Any, body: Any, getter: Any, setter: Any, return_name_ids: Any, push_pop_names: Any
    ) -> Any:
        states = LoopStates(getter, setter, return_name_ids, push_pop_names)
        states.set(all_copied(states.values()))
        return plain(cond, body, getter, setter, return_name_ids, push_pop_names)

    def loop(cond: Any, body: Any, loop_vars: Any, *others: Any, **named: Any) -> Any:
        def at_once(*states: Any) -> Any:
            return all_copied(body(*states))

        return assigning(cond, at_once, loop_vars, *others, **named)

    setattr(convert_operators, LOOP, run)
    paddle.static.nn.while_loop = loop
    try:
        yield
    finally:
        setattr(convert_operators, LOOP, plain)
        paddle.static.nn.while_loop = assigning
