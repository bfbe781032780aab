"""Loops whose states are values of their own, for the time of an export (CL422).

2.6 has a loop write into the very variables that its states begin as: two that begin as one
(``a = b = zeros``) are one variable, and one that begins as an input (``h = x``) overwrites it. It
assigns states one after the other, in an order of chance: of ``a, b = b, a % b`` it may take the
new ``b`` for ``a``. What is saved then gives other numbers, and too few outputs. A loop of 3.x
frees what it begins with, and what reads ``x`` behind it finds nothing (CL154); one that gives a
list's item to another place of it ends the process (CL408).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

# Variables of one tensor, by the names of 3.2 and earlier and of later ones; others are lists.
_TENSORS = frozenset({"LOD_TENSOR", "DENSE_TENSOR"})
LOOP = "_run_paddle_while"


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
        helper = convert_operators.GetterSetterHelper(
            getter, setter, return_name_ids, push_pop_names
        )
        names = sorted({*(return_name_ids or ()), *(push_pop_names or ())})
        helper.set(names, all_copied(helper.get(names)))
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
