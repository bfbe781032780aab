"""Which parts of a Python file run on the target, and which of their failures are caught."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from compatload.checking.python_source import PythonSource, Scope
from compatload.checking.python_values import UNKNOWN, VERSIONS, PythonValues
from compatload.checking.target import Target

# Line from 1 and offset in bytes from 0, as the ast has them.
Place = tuple[int, int]
_BRANCHES = ("body", "orelse")
_ENDS = (ast.Return, ast.Raise, ast.Continue, ast.Break)
_CATCHES_ALL = frozenset({"Exception", "BaseException"})
_VERSION = re.compile(r"version|use_pir_api|in_pir_mode|FLAGS_enable_pir_api", re.IGNORECASE)
# Names of a project's own that say what Paddle there is, wherever they come from.
_RELEASE = re.compile(r"(?:pd|paddle)_?ver|has_fluid", re.IGNORECASE)
_TYPE_CHECKING = ("typing.TYPE_CHECKING", "typing_extensions.TYPE_CHECKING")


@dataclass(frozen=True, eq=False)
class _Step:
    """A statement or expression on the way to a node, in which of its parts the node is, and what
    stands in that part before it."""

    node: ast.AST
    part: str
    scope: Scope
    before: Sequence[ast.stmt] = field(default=())


class Reach:
    """What guards the places of one file. Ways are looked for only where something was found."""

    def __init__(self, source: PythonSource, target: Target) -> None:
        self.source = source
        self.target = target
        self.values = PythonValues(source, target)

    def runs(self, at: Place) -> bool:
        """Whether nothing in the file keeps a place from running on the target."""
        for step in self._way(at):
            branches = isinstance(step.node, (ast.If, ast.IfExp)) and step.part in _BRANCHES
            if branches and self._wrong_side(step.node.test, step.part, step.scope):  # type: ignore[attr-defined]
                return False
            if any(self._leaves(statement, step.scope) for statement in step.before):
                return False
            if step.part in ("annotation", "returns") and self._unread(step):
                return False
        return True

    def _unread(self, step: _Step) -> bool:
        """Whether nobody evaluates this annotation: a local name's, or any that is left as text."""
        local = isinstance(step.node, ast.AnnAssign) and isinstance(
            step.scope.node, (ast.FunctionDef, ast.AsyncFunctionDef)
        )
        return local or self.source.module.lookup("annotations") == "__future__.annotations"

    def caught(self, node: ast.AST, *errors: str) -> bool:
        """Whether a failure with one of these errors is caught, or the place is such a catch."""
        for step in self._way(place_of(node)):
            if step.part in ("body", "handlers") and any(
                _catches(handler, errors) for handler in getattr(step.node, "handlers", ())
            ):
                return True
            if step.part == "body" and any(
                _suppresses(item.context_expr, errors) for item in getattr(step.node, "items", ())
            ):
                return True
        return False

    def asked_for(self, node: ast.AST, name: str) -> bool:
        """Whether the place depends on ``hasattr(…, name)`` or getattr with a default."""
        return any(
            isinstance(part, ast.Call)
            and getattr(part.func, "id", "") in ("hasattr", "getattr", "callable")
            and any(self.values.of(argument, step.scope) == name for argument in part.args[1:])
            for step in self._way(place_of(node))
            if isinstance(step.node, (ast.If, ast.IfExp))
            for part in ast.walk(step.node.test)
        )

    def by_version(self, at: Place) -> bool:
        """Whether the place depends on a version in a way that cannot be followed here."""
        return any(
            self.values.of(test, step.scope) is UNKNOWN
            and (_names_release(test) or self.values.mentions(test, _is_version, step.scope))
            for step in self._way(at)
            if isinstance(step.node, (ast.If, ast.IfExp)) and step.part in _BRANCHES
            for test in _parts(step.node.test)
        )

    def _wrong_side(self, test: ast.expr, part: str, scope: Scope) -> bool:
        decides = self.values.mentions(test, _decides, scope) or _asks(test)
        if not decides:
            return False  # only what depends on the release; DEBUG = False is another's business
        value = self.values.of(test, scope)
        return value is not UNKNOWN and bool(value) is (part == "orelse")

    def _leaves(self, statement: ast.stmt, scope: Scope) -> bool:
        """``if <true for the target>: return``, in front of what follows."""
        return (
            isinstance(statement, ast.If)
            and isinstance(statement.body[-1], _ENDS)
            and not statement.orelse
            and self._wrong_side(statement.test, "orelse", scope)
        )

    def _way(self, at: Place) -> Iterator[_Step]:
        """From the module down to the innermost node at a place."""
        around: ast.AST = self.source.tree
        scope = self.source.module
        while True:
            found = _part_with(around, at)
            if found is None:
                return
            part, inside, before = found
            yield _Step(around, part, scope, before)
            around = inside
            if isinstance(around, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                scope = self.source.scope_of(around)


def _parts(test: ast.expr) -> Iterator[ast.expr]:
    """What ``and``, ``or`` and ``not`` join."""
    waiting = [test]
    while waiting:
        part = waiting.pop()
        if isinstance(part, ast.BoolOp):
            waiting += part.values
        elif isinstance(part, ast.UnaryOp) and isinstance(part.op, ast.Not):
            waiting.append(part.operand)
        else:
            yield part


def place_of(node: ast.AST) -> Place:
    return getattr(node, "lineno", 0), getattr(node, "col_offset", 0)


def _part_with(around: ast.AST, at: Place) -> tuple[str, ast.AST, Sequence[ast.stmt]] | None:
    """The child of a node in which a position is: its field, itself, and statements before it."""
    for name, value in ast.iter_fields(around):
        for number, item in enumerate(value if isinstance(value, list) else (value,)):
            if not isinstance(item, ast.AST):
                continue
            if _holds(item, at):
                before = value[:number] if isinstance(item, ast.stmt) else ()
                return name, item, before
    return None


def _holds(node: ast.AST, at: Place) -> bool:
    first = getattr(node, "lineno", None)
    if first is None:  # keywords of old Pythons, arguments, comprehensions
        return any(_holds(child, at) for child in ast.iter_child_nodes(node))
    begin = (first, node.col_offset)  # type: ignore[attr-defined]
    for decorator in getattr(node, "decorator_list", ()):
        begin = min(begin, (decorator.lineno, decorator.col_offset))
    return begin <= at < (node.end_lineno, node.end_col_offset)  # type: ignore[attr-defined]


def _catches(handler: ast.ExceptHandler, errors: Sequence[str]) -> bool:
    if handler.type is None:
        return True
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    names = {getattr(kind, "id", getattr(kind, "attr", "")) for kind in kinds}
    return bool(names & {*errors, *_CATCHES_ALL})


def _suppresses(node: ast.expr, errors: Sequence[str]) -> bool:
    if not isinstance(node, ast.Call):
        return False
    name = getattr(node.func, "id", getattr(node.func, "attr", ""))
    kinds = {getattr(kind, "id", "") for kind in node.args}
    return name == "suppress" and bool(kinds & {*errors, *_CATCHES_ALL})


def _is_version(name: str) -> bool:
    return name in VERSIONS or _VERSION.search(name) is not None


def _names_release(test: ast.expr) -> bool:
    names = (getattr(part, "id", getattr(part, "attr", "")) for part in ast.walk(test))
    return any(_RELEASE.search(name) for name in names if name)


def _decides(name: str) -> bool:
    return _is_version(name) or name in _TYPE_CHECKING


def _asks(test: ast.expr) -> bool:
    return any(getattr(part, "id", "") in ("hasattr", "getattr") for part in ast.walk(test))
