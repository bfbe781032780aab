"""Guards of a model's code: branches that only raise or warn, and assertions.

While a program is made, no Tensor and no free dimension has a value that a guard could look at. A
guard that stands in the way is left out of the program; it holds for what was tried eagerly.
"""

from __future__ import annotations

import ast
import inspect
import linecache
import textwrap
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Union

from compatload.exporting.model_code import CodeLine, lines_of_error
from compatload.frozen import frozen

_WARNERS = {"warn", "warning", "warning_once", "warn_once", "error", "info", "debug", "print"}
_Statement = Union[ast.If, ast.Assert]


@frozen
class Guard:
    """Where it stands; its lines from the condition to the end of what it says."""

    place: CodeLine
    last: int


def guard_of_error(error: BaseException, known: Collection[Guard]) -> Guard | None:
    """The innermost guard that an error of conversion passed through, if it is not known yet."""
    for line in lines_of_error(error):
        found = _guard_at(line)
        if found is not None and found not in known:
            return found
    return None


def _guard_at(line: CodeLine) -> Guard | None:
    try:
        tree = ast.parse("".join(linecache.getlines(line.file)))
    except (SyntaxError, ValueError, RecursionError):
        return None
    inside = [s for s in _guards(tree) if s.lineno <= line.line <= _last(s)]
    if not inside:
        return None
    innermost = max(inside, key=lambda statement: statement.lineno)
    return Guard(CodeLine(line.file, innermost.lineno), _last(innermost))


def _guards(tree: ast.AST) -> Iterator[_Statement]:
    for node in ast.walk(tree):
        if not isinstance(node, (ast.Assert, ast.If)):
            continue
        names_something = any(isinstance(part, ast.NamedExpr) for part in ast.walk(node.test))
        if not names_something and (isinstance(node, ast.Assert) or _is_guard(node)):
            yield node


def _is_guard(branch: ast.If) -> bool:
    """Whether it only tells; what stands under ``elif`` would be run where the guard holds, which
    ends in an error as long as it raises."""
    raises = isinstance(branch.body[-1], ast.Raise)
    return only_tells(branch.body) and (raises or all(map(_tells, branch.orelse)))


def only_tells(body: Sequence[ast.stmt]) -> bool:
    """Whether nothing that comes after can see that these statements ran."""
    before = body[:-1] if isinstance(body[-1], ast.Raise) else body
    ends = isinstance(body[-1], ast.Raise)
    return all(_tells(s) or (ends and isinstance(s, (ast.Assign, ast.AnnAssign))) for s in before)


def _tells(statement: ast.stmt) -> bool:
    if isinstance(statement, (ast.Pass, ast.Raise, ast.Assert)):
        return True
    if isinstance(statement, ast.If):
        return only_tells(statement.body) and all(map(_tells, statement.orelse))
    if not isinstance(statement, ast.Expr):
        return False
    if isinstance(statement.value, ast.Constant):
        return True
    called = getattr(statement.value, "func", None)
    return getattr(called, "attr", getattr(called, "id", "")) in _WARNERS


def _last(statement: _Statement) -> int:
    end = statement.body[-1] if isinstance(statement, ast.If) else statement
    return end.end_lineno or end.lineno


@contextmanager
def left_out(guards: Collection[Guard]) -> Iterator[None]:
    """In the scope, Paddle converts functions as if these guards were not there."""
    if not guards:
        yield
        return
    from paddle.jit.dy2static import program_translator as translator

    read = translator.func_to_source_code

    def source_of(function: Any, dedent: bool = True) -> str:
        source: str = read(function, dedent)
        try:
            lines, first = inspect.getsourcelines(function)
            file = inspect.getsourcefile(function)
        except (OSError, TypeError):
            return source
        last = first + len(lines) - 1
        inside = {
            guard.place.line - first + 1
            for guard in guards
            if guard.place.file == file and first <= guard.place.line <= last
        }
        return _without(source, inside) if inside else source

    with converted_from(source_of):
        yield


@contextmanager
def converted_from(source_of: Callable[..., str]) -> Iterator[None]:
    """In the scope, Paddle converts functions from the source that this gives for them, all of them
    anew: what was converted before was of another."""
    from paddle.jit.dy2static import program_translator as translator

    read, cache = translator.func_to_source_code, translator._FUNCTION_CACHE
    translator.func_to_source_code = source_of
    translator._FUNCTION_CACHE = translator.FunctionCache()
    try:
        yield
    finally:
        translator.func_to_source_code = read
        translator._FUNCTION_CACHE = cache


def edited(source: str, edits: Iterable[tuple[int, int, int, str]]) -> str:
    """Source with parts of lines replaced, each by its line (from 1) and columns, which count bytes
    as those of the syntax tree do."""
    lines = source.splitlines(keepends=True)
    for number, first, last, text in sorted(edits, reverse=True):
        line = lines[number - 1].encode()
        lines[number - 1] = (line[:first] + text.encode() + line[last:]).decode()
    return "".join(lines)


def _without(source: str, firsts: Collection[int]) -> str:
    """Source with conditions of guards that never hold, and every line in its place."""
    source = textwrap.dedent(source)
    lines = source.splitlines(keepends=True)
    found = [node for node in _guards(ast.parse(source)) if node.lineno in firsts]
    for node in sorted(found, key=lambda one: (one.lineno, one.col_offset), reverse=True):
        part: ast.AST = node.test if isinstance(node, ast.If) else node
        word = "(False{})" if isinstance(node, ast.If) else "(None{})"
        _replace(lines, part, word)
    return "".join(lines)


def _replace(lines: list[str], part: Any, word: str) -> None:
    first, last = part.lineno - 1, part.end_lineno - 1
    # Columns of the syntax tree count bytes.
    head = lines[first].encode()[: part.col_offset].decode()
    tail = lines[last].encode()[part.end_col_offset :].decode()
    lines[first : last + 1] = (head + word.format("\n" * (last - first)) + tail).splitlines(True)
