"""One Python file as its rules want it: a parsed tree and what its names stand for.

Only the ``ast`` of the standard library, one pass, and no recursion of our own: a file may be
hostile, and there may be thousands of them.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypedDict

from compatload.frozen import frozen

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_SCOPES = frozenset({*_FUNCTIONS, ast.ClassDef})
# What hangs on nodes and leads no further: positions, names, operators.
_LEAVES = frozenset(
    {int, str, type(None), ast.Load, ast.Store, ast.Del}
    | set(ast.operator.__subclasses__())
    | set(ast.unaryop.__subclasses__())
    | set(ast.cmpop.__subclasses__())
    | set(ast.boolop.__subclasses__())
)
_LINE_END = re.compile(rb"\r\n|\r|\n")
_AROUND = ("decorator_list", "bases", "keywords", "returns")


class UnparsableError(ValueError):
    """The bytes are no Python that this interpreter can parse; the message says why, shortly."""


@dataclass(eq=False)
class Scope:
    """A module, class or function and the names it binds.

    ``imports`` maps a name to the dotted name that it was imported as, ``bound`` holds the names
    that mean something else here.
    """

    node: ast.AST
    parent: Scope | None = None
    imports: dict[str, str] = field(default_factory=dict)
    bound: set[str] = field(default_factory=set)
    stars: list[str] = field(default_factory=list)

    @property
    def is_class(self) -> bool:
        return isinstance(self.node, ast.ClassDef)

    @property
    def is_module(self) -> bool:
        return self.parent is None

    def lookup(self, name: str) -> str | None:
        """The dotted name that an identifier stands for here, or None."""
        home = self.home(name)
        return None if home is None else home.imports.get(name)

    def home(self, name: str) -> Scope | None:
        """The scope that binds an identifier that is read here."""
        scope: Scope | None = self
        while scope is not None:
            # The body of a class is no enclosing scope of its methods.
            inside = scope is self or not scope.is_class
            if inside and (name in scope.imports or name in scope.bound):
                return scope
            scope = scope.parent
        return None


class Position(TypedDict):
    """Where a node stands: lines and columns count characters from 1."""

    line: int | None
    column: int | None
    end_line: int | None
    end_column: int | None


@frozen
class Reference:
    """A whole dotted expression (``paddle.jit.load``) that is read, and what it stands for."""

    name: str
    node: ast.expr
    scope: Scope


@frozen
class Import:
    """An import of one dotted name; ``node`` is the statement."""

    name: str
    node: ast.Import | ast.ImportFrom
    scope: Scope


class PythonSource:
    """A parsed file. Nodes of interest are listed once, each with the scope it stands in;
    functions and classes in the order of the text, the others in none."""

    def __init__(self, path: str, data: bytes) -> None:
        self.path = path
        self.data = data
        self.tree = _parse(data)
        self.module = Scope(self.tree)
        self.imports: list[Import] = []
        self.strings: list[tuple[ast.Constant, Scope]] = []
        self.calls: list[tuple[ast.Call, Scope]] = []
        self.assignments: list[tuple[ast.Assign | ast.AugAssign | ast.AnnAssign, Scope]] = []
        self.comparisons: list[tuple[ast.Compare, Scope]] = []
        self.functions: list[tuple[ast.FunctionDef | ast.AsyncFunctionDef, Scope]] = []
        self.classes: list[tuple[ast.ClassDef, Scope]] = []
        self._scopes: dict[ast.AST, Scope] = {}
        self._chains: list[tuple[str, ast.expr, Scope]] = []
        self._references: list[Reference] | None = None
        self._lines: list[str] | None = None
        self._offsets: list[int] | None = None
        self._index()
        self.functions.sort(key=_line)
        self.classes.sort(key=_line)

    def references(self) -> list[Reference]:
        """Every dotted expression that begins with an imported name."""
        if self._references is None:
            imported = {name for scope in self.scopes() for name in scope.imports}
            self._references = [
                Reference(name, node, scope)
                for head, node, scope in self._chains
                if head in imported and (name := self.resolve(node, scope)) is not None
            ]
        return self._references

    def resolve(self, node: ast.AST, scope: Scope) -> str | None:
        """``paddle.jit.load`` for ``pd.jit.load`` under ``import paddle as pd``, or None."""
        parts = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name):
            return None
        head = scope.lookup(node.id)
        return None if head is None else ".".join([head, *reversed(parts)])

    def scope_of(self, node: ast.AST) -> Scope:
        """The scope inside of a function or class."""
        return self._scopes[node]

    def scopes(self) -> list[Scope]:
        """The module's scope and all those inside of it."""
        return [self.module, *self._scopes.values()]

    def star_imports(self) -> set[str]:
        """Modules all of whose names were imported (``from paddle.inference import *``)."""
        return set(self.module.stars)

    def text_of(self, node: ast.stmt) -> bytes:
        """The whole lines that a statement stands on, as they are in the file."""
        if self._offsets is None:
            self._offsets = [0, *(end.end() for end in _LINE_END.finditer(self.data))]
        first, last = node.lineno - 1, node.end_lineno or node.lineno
        stop = self._offsets[last] if last < len(self._offsets) else len(self.data)
        return self.data[self._offsets[first] : stop]

    def position(self, node: ast.AST) -> Position:
        """Line and column from 1, in characters, of a node's begin and end."""
        line, column = getattr(node, "lineno", None), getattr(node, "col_offset", None)
        end_line = getattr(node, "end_lineno", None)
        end_column = getattr(node, "end_col_offset", None)
        return {
            "line": line,
            "column": self._character(line, column),
            "end_line": end_line,
            "end_column": self._character(end_line, end_column),
        }

    def _character(self, line: int | None, offset: int | None) -> int | None:
        """The ast counts bytes of UTF-8; people and editors count characters."""
        if line is None or offset is None:
            return None
        if self._lines is None:
            self._lines = decoded(self.data).splitlines(keepends=True)
        if line > len(self._lines):
            return offset + 1
        return len(self._lines[line - 1].encode("utf-8")[:offset].decode("utf-8", "ignore")) + 1

    def byte_place(self, line: int, column: int) -> tuple[int, int]:
        """Line and offset in bytes, as the ast has them, of a position in characters."""
        text = decoded(self.data).splitlines()[line - 1]
        return line, len(text[: column - 1].encode("utf-8"))

    def _index(self) -> None:
        """One pass over the tree, scope by scope; most of a check's time goes here."""
        interesting = self._interesting()
        waiting: list[tuple[Scope, list[Any]]] = [(self.module, self.tree.body[:])]
        while waiting:
            scope, pending = waiting.pop()
            while pending:
                node = pending.pop()
                kind = type(node)
                if kind is ast.Name or kind is ast.Attribute:
                    base = node
                    while type(base) is ast.Attribute:
                        base = base.value
                    if type(base) is not ast.Name:
                        pending.append(base)
                    elif type(node.ctx) is ast.Load:
                        self._chains.append((base.id, node, scope))
                    elif base is node:
                        scope.bound.add(base.id)
                    continue
                if kind is ast.Constant:
                    if isinstance(node.value, str):
                        self.strings.append((node, scope))
                    continue
                if kind is ast.Expr and type(node.value) is ast.Constant:
                    continue  # a docstring, or as good as one
                note = interesting.get(kind)
                if note is not None:
                    note((node, scope))
                if kind in _SCOPES:
                    around, within = _parts_of_scope(node)
                    waiting.append((self._enter(node, scope), within))
                    pending += around
                    continue
                if kind is ast.Import or kind is ast.ImportFrom:
                    self._import(node, scope)
                    continue
                for value in node.__dict__.values():
                    part = type(value)
                    if part is list:
                        pending += [item for item in value if type(item) not in _LEAVES]
                    elif part not in _LEAVES:
                        pending.append(value)

    def _interesting(self) -> dict[type, Callable[[Any], None]]:
        """Kind of node → where such nodes are noted, with their scopes (in no order)."""
        return {
            ast.Call: self.calls.append,
            ast.Assign: self.assignments.append,
            ast.AugAssign: self.assignments.append,
            ast.AnnAssign: self.assignments.append,
            ast.Compare: self.comparisons.append,
            ast.FunctionDef: self.functions.append,
            ast.AsyncFunctionDef: self.functions.append,
            ast.ClassDef: self.classes.append,
        }

    def _enter(self, node: ast.AST, scope: Scope) -> Scope:
        inside = self._scopes[node] = Scope(node, scope)
        if isinstance(node, ast.ClassDef):
            scope.bound.add(node.name)
            return inside
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            scope.bound.add(node.name)
        arguments = node.args  # type: ignore[attr-defined]
        for group in (arguments.posonlyargs, arguments.args, arguments.kwonlyargs):
            inside.bound.update(argument.arg for argument in group)
        inside.bound.update(a.arg for a in (arguments.vararg, arguments.kwarg) if a)
        return inside

    def _import(self, node: ast.Import | ast.ImportFrom, scope: Scope) -> None:
        if isinstance(node, ast.ImportFrom) and (node.level or node.module is None):
            # Something of the project's own, whatever it is called.
            scope.bound.update(alias.asname or alias.name for alias in node.names)
            return
        for alias in node.names:
            if isinstance(node, ast.Import):
                head = alias.name.partition(".")[0]
                scope.imports[alias.asname or head] = alias.name if alias.asname else head
                self.imports.append(Import(alias.name, node, scope))
            elif alias.name == "*":
                scope.stars.append(str(node.module))
                self.imports.append(Import(str(node.module), node, scope))
            else:
                name = f"{node.module}.{alias.name}"
                scope.imports[alias.asname or alias.name] = name
                self.imports.append(Import(name, node, scope))


def _line(entry: tuple[Any, Scope]) -> int:
    return int(entry[0].lineno)


def _parts_of_scope(node: ast.AST) -> tuple[list[ast.AST], list[ast.AST]]:
    """Children of a class or function that belong to the scope around it, and those inside."""
    around: list[ast.AST] = []
    within: list[ast.AST] = []
    for name, value in ast.iter_fields(node):
        part = around if name in _AROUND else within
        if isinstance(value, ast.AST):
            part.append(value)
        elif isinstance(value, list):
            part += [item for item in value if isinstance(item, ast.AST)]
    return around, within


def _parse(data: bytes) -> ast.Module:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # invalid escapes in somebody's strings
            return ast.parse(data)
    except SyntaxError as error:
        where = f" in line {error.lineno}" if error.lineno else ""
        raise UnparsableError(f"no Python {_this_python()} ({error.msg}{where})") from error
    except (ValueError, RecursionError, MemoryError) as error:
        raise UnparsableError(f"cannot be parsed ({type(error).__name__})") from error


def _this_python() -> str:
    import sys

    return f"{sys.version_info[0]}.{sys.version_info[1]}"


def decoded(data: bytes) -> str:
    """The text of a source file, by its own declaration, with its line ends as they are.

    Raises:
        UnparsableError: the declaration or the bytes are wrong.
    """
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        return data.decode(encoding)
    except (SyntaxError, LookupError, UnicodeDecodeError) as error:
        raise UnparsableError("not in the encoding that it declares") from error
