"""Changes in place that stay changes, for the time of an export (CL438).

While a program is made, ``y.exp_()`` gives a new value and leaves ``y`` as it was: a model that
does not take the result, as nobody does who changes in place, computes on with the old one. What
Paddle has for ``y[k] = v``, a map from a value to what became of it, is told of these, too, so
that other names of the same value see it as well; and the result is assigned to the name that was
changed, so that branches and loops hand it on.
"""

from __future__ import annotations

import ast
import functools
import os
import textwrap
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from typing import Any

from compatload.checking.source_rules.to_static.calls import changing, is_change
from compatload.exporting.guards import converted_from, edited
from compatload.exporting.loop_states import LOOP
from compatload.exporting.replacing import bound, is_value, replaced, tensor_classes
from compatload.exporting.saving import native_format
from compatload.exporting.traced import became
from compatload.exporting.views import known_as, views_kept

# Set, Paddle does not refuse what changes in place what may be a part of another (reshape_ twice).
_UNCHECKED = "stride_in_no_check_dy2st_diff"


def becomes(before: Any, after: Any) -> Any:
    """The value, which is what became of the one before from here on."""
    import paddle

    if not is_value(before) or after is before:
        return after
    known = became(of_variables=isinstance(before, paddle.static.Variable))
    known.add(paddle.static.default_main_program(), known_as(before), after)
    return after


def _becoming(plain: Callable[..., Any], *given: Any, **named: Any) -> Any:
    changed: Any = given[0] if given else next(iter(named.values()), None)
    if getattr(changed, "is_view_var", False):
        changed.is_view_var = False  # 2.6 says so, and refuses to change it
    return becomes(changed, plain(*given, **named))


def _assigning(plain: Callable[..., Any], x: Any, output: Any = None) -> Any:
    """``paddle.assign(x, y)`` changes ``y``; of a legacy program it does, and loops are made so."""
    if is_value(output) and native_format() == "pir":
        return becomes(output, plain(x))
    return plain(x, output)


@contextmanager
def changes_kept(layer: Any) -> Iterator[None]:
    """Within the scope, in any thread, what changes in place does so in programs that are made;
    ``layer`` is not looked at. Paddle's check of views is off."""
    import paddle
    from paddle.jit.dy2static import program_translator as translator

    functions = _functions()
    names = frozenset(name for name, _ in functions)
    becoming = {plain: bound(_becoming, plain) for _, plain in functions}
    becoming[paddle.assign] = bound(_assigning, paddle.assign)
    read = translator.func_to_source_code

    def source_of(function: Any, dedent: bool = True) -> str:
        return assigned(read(function, dedent), names)

    checked = os.environ.get(_UNCHECKED)
    known = became(of_variables=native_format() == "legacy")
    before = known.save_checkpoint()
    os.environ[_UNCHECKED] = "1"
    try:
        with converted_from(source_of), replaced(becoming), _blocks_apart(), views_kept(known):
            yield
    finally:
        # Of a program that was not finished nobody else forgets what became of its values.
        known.restore_checkpoint(before)
        os.environ.pop(_UNCHECKED)
        if checked is not None:
            os.environ[_UNCHECKED] = checked


@contextmanager
def _blocks_apart() -> Iterator[None]:
    """What became of a value within a loop or a branch is not what it is behind it: they hand on
    what is assigned. 2.6 goes on with a value of a block that is gone, and may die of it: its map
    is kept for branches, but not what stands in it, and not for loops."""
    from paddle.jit.dy2static import convert_operators

    if native_format() == "pir" or not hasattr(convert_operators, LOOP):
        yield
        return
    loop, known = getattr(convert_operators, LOOP), became(of_variables=True)
    maps = type(known)
    save = maps.save_checkpoint

    def saved(self: Any) -> Any:
        return {program: dict(became) for program, became in save(self).items()}

    @functools.wraps(loop)
    def run(*given: Any, **named: Any) -> Any:
        before = known.save_checkpoint()
        try:
            return loop(*given, **named)
        finally:
            known.restore_checkpoint(before)

    maps.save_checkpoint = saved
    setattr(convert_operators, LOOP, run)
    try:
        yield
    finally:
        maps.save_checkpoint = save
        setattr(convert_operators, LOOP, loop)


def _functions() -> set[tuple[str, Callable[..., Any]]]:
    """Paddle's functions that change their first argument, with the names that they are held by."""
    import paddle

    holders = (paddle, paddle.nn.functional, *tensor_classes())
    return {
        (name, one)
        for holder in holders
        for name, one in vars(holder).items()
        if is_change(name) and hasattr(one, "__code__")
    }


def assigned(source: str, names: frozenset[str]) -> str:
    """The source with what statements of such calls give assigned to the name that they change:
    ``y.exp_()`` is ``y = y.exp_()``, and every line in its place. A function of the model may
    change what it is given: ``halve(y)`` is ``halve(y); y = y``, which reads what became of it."""
    source = textwrap.dedent(source)
    tree = ast.parse(source)
    known = {
        node.id if isinstance(node, ast.Name) else node.arg
        for node in ast.walk(tree)
        if isinstance(node, ast.arg) or isinstance(getattr(node, "ctx", None), ast.Store)
        if isinstance(node, (ast.Name, ast.arg))
    }
    changes = []
    for node in ast.walk(tree):
        if not isinstance(node, ast.Expr) or not isinstance(node.value, ast.Call):
            continue
        if name := _changed(node.value, names, source):
            changes.append((node.lineno, node.col_offset, node.col_offset, f"{name} = "))
        elif given := _given(node.value, known):
            text = "".join(f"; {name} = {name}" for name in given)
            end = node.end_col_offset or 0
            changes.append((node.end_lineno or 0, end, end, text))
    return edited(source, changes)


def _given(call: ast.Call, known: Collection[str]) -> list[str]:
    """Names of the function that a function of the model is given."""
    called = call.func
    if isinstance(called, ast.Attribute) and not (
        isinstance(called.value, ast.Name) and called.value.id == "self"
    ):
        return []
    given = (*call.args, *(one.value for one in call.keywords))
    names = {one.id for one in given if isinstance(one, ast.Name)}
    return sorted(names & {*known} - {"self"})


def _changed(call: ast.expr, names: frozenset[str], source: str) -> str:
    """The name, or the part of what a name stands for, that the call changes; else nothing."""
    first = changing(call, names.__contains__)
    if first is None:
        return ""
    innermost, called = first
    on = called.value
    if _is_module(on):
        on = innermost.args[0] if innermost.args else on
    part = on.value if isinstance(on, ast.Subscript) else on
    if not isinstance(part, ast.Name) or _is_module(part):
        return ""
    text = ast.get_source_segment(source, on) or ""
    return "" if "\n" in text else text


_MODULES = frozenset({"F", "functional", "nn", "paddle"})


def _is_module(one: ast.expr) -> bool:
    while isinstance(one, ast.Attribute):
        one = one.value
    return isinstance(one, ast.Name) and one.id in _MODULES
