"""A model's code is converted in forms that Paddle knows, for the time of an export (code_forms).

Some of them are no forms of code, but of what it computes with. A loop whose condition is a truth
of Python at first and a Tensor later (``while True`` with a ``break`` on a Tensor, CL403) takes its
first turns while the program is made, and is a loop of the program from then on. And ``zip`` over
Tensors whose number of parts is free (CL437) gives a part of each for a place that is counted.
"""

from __future__ import annotations

import ast
import functools
import textwrap
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from compatload.exporting.code_forms import in_known_forms
from compatload.exporting.first_turns import begin_as_nothing, with_first_turn
from compatload.exporting.guards import converted_from, edited
from compatload.exporting.list_parts import concatenated, lists_taken_apart
from compatload.exporting.loop_states import LoopStates
from compatload.exporting.replacing import bound, is_value, replaced, values_of

_FREE = -1
# What converted code finds the classes of its functions by, beside what Paddle has for it.
_CLASSES = "compatload_classes"
# Turns that a loop of Python may take while a program is made, before it is said to be endless.
_MOST_TURNS = 1_000_000


@contextmanager
def forms_given(layer: Any) -> Iterator[set[str]]:
    """Within the scope, in any thread, functions are converted in forms that Paddle knows, all of
    them anew; ``layer`` is not looked at. Yields what was given, as it becomes known, by the
    limitations that it goes around."""
    import paddle
    from paddle.jit import dy2static
    from paddle.jit.dy2static import convert_operators, program_translator
    from paddle.utils import gast

    converter = dy2static.DygraphToStaticAst
    plain = converter.get_static_ast

    classes: list[type] = []
    given: set[str] = set()
    read = program_translator.func_to_source_code

    def source_of(function: Any, dedent: bool = True) -> str:
        known = len(classes)
        source = _with_classes(read(function, dedent), function, classes)
        if len(classes) > known:
            given.add("CL415")
        return source

    def convert(self: Any, root: Any) -> Any:
        given.update(in_known_forms(root, gast.parse))
        return plain(self, root)

    others = {
        one: bound(other, one)
        for one, other in (
            (convert_operators.convert_while_loop, functools.partial(_loop, given)),
            (convert_operators.convert_zip, functools.partial(_zip, given)),
            (convert_operators.convert_enumerate, _enumerate),
            (paddle.concat, concatenated),
        )
    }
    converter.get_static_ast = convert
    setattr(dy2static, _CLASSES, classes)
    try:
        with converted_from(source_of), replaced(others), lists_taken_apart():
            yield given
    finally:
        converter.get_static_ast = plain
        delattr(dy2static, _CLASSES)


def _with_classes(source: str, function: Any, classes: list[type]) -> str:
    """``super()`` with the class that it stands in. 2.6 runs what it made outside of it; 3.x takes
    the class of the object, so that a method of a class between calls itself (CL415)."""
    inside = getattr(function, "__closure__", None) or ()
    names = getattr(getattr(function, "__code__", None), "co_freevars", ())
    known = [cell.cell_contents for name, cell in zip(names, inside) if name == "__class__"]
    arguments = getattr(getattr(function, "__code__", None), "co_varnames", ())
    if not known or not arguments or "super()" not in source:
        return source
    classes += known
    told = f"super(_jst.{_CLASSES}[{len(classes) - 1}], {arguments[0]})"
    source = textwrap.dedent(source)
    return edited(source, ((*place, told) for place in _plain_supers(source)))


def _plain_supers(source: str) -> Iterator[tuple[int, int, int]]:
    """Lines and columns of calls of ``super`` without arguments."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            is_plain = node.func.id == "super" and not node.args
            if is_plain and node.lineno == node.end_lineno:
                yield node.lineno, node.col_offset, node.end_col_offset or 0


def _loop(
    given: set[str],
    plain: Any,
    cond: Callable[[], Any],
    body: Callable[[], Any],
    *others: Any,
    **named: Any,
) -> None:
    """Turns of Python until the condition is a Tensor; Paddle refuses to go on from there."""
    for turn in range(_MOST_TURNS):
        going = cond()
        if is_value(going):
            if turn:
                given.add("CL403")
            states = LoopStates(*others, **named)
            if begin_as_nothing(states.values()):
                given.add("CL409")
                with_first_turn(cond, body, states, lambda *both: plain(*both, *others, **named))
            else:
                plain(cond, body, *others, **named)
            return
        if not going:
            return
        body()
    raise RuntimeError(f"a loop of Python takes more than {_MOST_TURNS} turns in a program")


def _zip(known: set[str], plain: Any, *given: Any) -> Any:
    """``zip``; where a number of parts is free, a part of each by its place."""
    if not any(is_value(one) and one.shape[0] == _FREE for one in given):
        return plain(*given)
    known.add("CL437")
    return _beside(given)


def _enumerate(plain: Any, given: Any, start: int = 0) -> Any:
    if not isinstance(given, _together()):
        return plain(given, start)
    return _beside((_Counting(given.size, start), given))


class _Counting:
    """Whole numbers from a first one on."""

    def __init__(self, size: Any, start: int) -> None:
        self.size, self._start = size, start

    def __getitem__(self, place: Any) -> Any:
        return place + self._start


def _beside(given: tuple[Any, ...]) -> Any:
    import paddle
    from paddle.jit.dy2static import convert_operators

    sizes = [
        one.size if hasattr(one, "_start") or isinstance(one, _together())
        else convert_operators.convert_len(one)
        for one in given
    ]  # fmt: skip
    if all(isinstance(size, int) for size in sizes):
        size: Any = min(sizes)
    else:
        size = functools.reduce(paddle.minimum, values_of(sizes, "int64"))
    return _together()(given, size)


@functools.cache
def _together() -> Any:
    """The class that Paddle's loops ask for its number of parts, whatever that is."""
    from paddle.jit.dy2static.convert_operators import VariableTuple

    class Together(VariableTuple):  # type: ignore[misc, unused-ignore]
        def __init__(self, given: tuple[Any, ...], size: Any) -> None:
            self.given, self.size = given, size

        def __getitem__(self, place: Any) -> Any:
            return tuple(one[place] for one in self.given)

        def __len__(self) -> Any:
            return self.size

    return Together
