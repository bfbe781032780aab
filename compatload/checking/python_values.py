"""What expressions of a Python file are worth, as far as its text and the target tell."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Sequence
from typing import Any

from packaging.version import InvalidVersion, Version

from compatload.checking.python_source import PythonSource, Scope
from compatload.checking.target import Target

VERSIONS = ("paddle.__version__", "paddle.version.full_version", "paddle.version.__version__")
UNKNOWN: Any = object()
_DEPTH = 30  # of names that stand for names, and of calls inside of calls
_VERSION_CLASSES = frozenset(
    {"packaging.version.Version", "packaging.version.parse", "packaging.version.LegacyVersion"}
    | {"distutils.version.LooseVersion", "distutils.version.StrictVersion"}
    | {"pkg_resources.parse_version", "looseversion.LooseVersion"}
)
_INSTALLED = frozenset({"importlib.metadata.version", "importlib_metadata.version"})
_PACKAGES = frozenset({"paddlepaddle", "paddlepaddle-gpu"})
# Functions of Paddle's that tell whether programs are PIR, which is the default from 3.0 on.
_PIR_MODE = frozenset({"use_pir_api", "in_pir_mode"})
_FIRST_WITH_PIR = Version("3.0")
_COMPARES: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.In: lambda one, other: one in other,
    ast.NotIn: lambda one, other: one not in other,
}
_PLAIN: dict[str, Callable[..., Any]] = {"int": int, "float": float, "str": str, "bool": bool}
_TEXT_METHODS = frozenset({"split", "startswith", "endswith", "replace", "strip", "lower"})


class PythonValues:
    """Values of one file's expressions; a name is followed where one assignment binds it."""

    def __init__(self, source: PythonSource, target: Target) -> None:
        self.source = source
        self.target = target
        self._bindings: dict[tuple[Scope, str], list[ast.expr]] | None = None
        self._functions: dict[tuple[Scope, str], list[ast.FunctionDef]] | None = None
        self._left: dict[int, int] | None = None

    def bound(self, name: str, scope: Scope) -> ast.expr | None:
        """What the one assignment gives that binds a name as it is read in a scope."""
        given = self._given(ast.Name(name), scope)
        return given[0] if len(given) == 1 else None

    def of(self, node: ast.AST | None, scope: Scope, depth: int = _DEPTH) -> Any:
        """The value, or UNKNOWN."""
        if depth == 0:
            return UNKNOWN
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, (ast.Name, ast.Attribute)):
            return self._of_name(node, scope, depth)
        if isinstance(node, (ast.Tuple, ast.List)):
            items = [self.of(item, scope, depth - 1) for item in node.elts]
            return UNKNOWN if UNKNOWN in items else tuple(items)
        try:
            return self._computed(node, scope, depth)
        except (TypeError, ValueError, IndexError, KeyError, InvalidVersion):
            return UNKNOWN

    def ends_of_text(self, node: ast.AST | None, scope: Scope, depth: int = _DEPTH) -> set[str]:
        """The last parts that a text may have that is put together; ``""`` for what is unknown."""
        if depth == 0 or node is None:
            return {""}
        if isinstance(node, ast.Constant):
            return {node.value if isinstance(node.value, str) else ""}
        gone = self._gone()
        line = getattr(node, "lineno", 0)
        given = [one for one in self._given(node, scope) if gone.get(id(one), line) >= line]
        if given:
            return {end for one in given for end in self.ends_of_text(one, scope, depth - 1)}
        last: ast.AST | None = None
        if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Div)):
            last = node.right
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
            last = node.left  # "%s.pdmodel" % name
        elif isinstance(node, ast.JoinedStr) and node.values:
            last = node.values[-1]
        elif isinstance(node, ast.FormattedValue):
            last = node.value
        elif isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "format":
            last = node.func.value  # type: ignore[attr-defined]
        elif isinstance(node, ast.Call) and node.args:
            last = node.args[-1]  # os.path.join(…, last), str(last), Path(last)
        return self.ends_of_text(last, scope, depth - 1)

    def _given(self, node: ast.AST, scope: Scope) -> list[ast.expr]:
        """Every value that the file assigns to a name, or to an attribute of ``self``."""
        if isinstance(node, ast.Name):
            home = scope.home(node.id)
            return self._assigned().get((home, node.id), []) if home is not None else []
        own = _of_self(node, scope)
        return [] if own is None else self._assigned().get(own, [])

    def mentions(self, node: ast.AST, wanted: Callable[[str], bool], scope: Scope) -> bool:
        """Whether a dotted name or text that is wanted is read, also through other names."""
        waiting: list[ast.AST] = [node]
        followed: set[str] = set()
        while waiting:
            for part in ast.walk(waiting.pop()):
                name = self.source.resolve(part, scope)
                if name is not None and wanted(name):
                    return True
                if isinstance(part, ast.Constant) and isinstance(part.value, str):
                    if wanted(part.value):
                        return True
                elif isinstance(part, ast.keyword):
                    if part.arg and wanted(part.arg):
                        return True
                elif isinstance(part, ast.Name) and part.id not in followed:
                    followed.add(part.id)
                    value = self.bound(part.id, scope)
                    function = self._function(part.id, scope)
                    waiting += [it for it in (value, function) if it is not None]
        return False

    def _of_name(self, node: ast.Name | ast.Attribute, scope: Scope, depth: int) -> Any:
        name = self.source.resolve(node, scope)
        if name in VERSIONS:
            return str(self.target.version)
        if name in ("typing.TYPE_CHECKING", "typing_extensions.TYPE_CHECKING"):
            return False
        if name is not None and name.startswith("paddle.version."):
            numbers = dict(zip(("major", "minor", "patch"), (*self.target.version.release, 0, 0)))
            part = numbers.get(name.rpartition(".")[2])
            return UNKNOWN if part is None else str(part)
        if isinstance(node, ast.Attribute):
            of = self.of(node.value, scope, depth - 1)
            known = isinstance(of, Version) and node.attr in ("major", "minor", "micro", "release")
            return getattr(of, node.attr) if known else UNKNOWN
        value = self.bound(node.id, scope)
        return UNKNOWN if value is None else self.of(value, scope, depth - 1)

    def _computed(self, node: ast.AST | None, scope: Scope, depth: int) -> Any:
        if isinstance(node, ast.Compare):
            sides = [self.of(side, scope, depth - 1) for side in (node.left, *node.comparators)]
            known = UNKNOWN not in sides and all(type(op) in _COMPARES for op in node.ops)
            if not known:
                return UNKNOWN
            pairs = zip(node.ops, sides, sides[1:])
            return all(_COMPARES[type(op)](one, other) for op, one, other in pairs)
        if isinstance(node, ast.BoolOp):
            return _joined(node, [self.of(value, scope, depth - 1) for value in node.values])
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            value = self.of(node.operand, scope, depth - 1)
            return UNKNOWN if value is UNKNOWN else not value
        if isinstance(node, ast.Subscript):
            value = self.of(node.value, scope, depth - 1)
            if value is UNKNOWN:
                return UNKNOWN
            if isinstance(node.slice, ast.Slice):
                ends = (node.slice.lower, node.slice.upper)
                low, high = (e if e is None else self.of(e, scope, depth - 1) for e in ends)
                return UNKNOWN if UNKNOWN in (low, high) else value[low:high]
            at = self.of(node.slice, scope, depth - 1)
            return UNKNOWN if at is UNKNOWN else value[at]
        if isinstance(node, ast.Call):
            return self._called(node, scope, depth)
        if isinstance(node, (ast.ListComp, ast.GeneratorExp)):
            return self._comprehended(node, scope, depth)
        return UNKNOWN

    def _called(self, call: ast.Call, scope: Scope, depth: int) -> Any:
        name = self.source.resolve(call.func, scope)
        if name is not None and name.startswith("paddle.") and name.rpartition(".")[2] in _PIR_MODE:
            return self.target.version >= _FIRST_WITH_PIR
        if isinstance(call.func, ast.Name) and name is None and call.func.id == "map":
            if len(call.args) == 2 and getattr(call.args[0], "id", "") in _PLAIN:
                items = self.of(call.args[1], scope, depth - 1)
                plain = _PLAIN[call.args[0].id]  # type: ignore[attr-defined]
                return UNKNOWN if items is UNKNOWN else tuple(plain(item) for item in items)
            return UNKNOWN
        values = [self.of(argument, scope, depth - 1) for argument in call.args]
        if isinstance(call.func, ast.Name) and call.func.id == "hasattr" and len(values) == 2:
            about = self.source.resolve(call.args[0], scope)
            return False if about == "paddle" and values[1] == "fluid" else UNKNOWN
        if UNKNOWN in values:
            return UNKNOWN
        if name in _VERSION_CLASSES:
            return Version(values[0])
        if name in _INSTALLED and values and values[0] in _PACKAGES:
            return str(self.target.version)
        if isinstance(call.func, ast.Attribute):
            on = self.of(call.func.value, scope, depth - 1)
            if isinstance(on, str) and call.func.attr in _TEXT_METHODS:
                return getattr(on, call.func.attr)(*values)
        if isinstance(call.func, ast.Name) and name is None:
            if call.func.id in _PLAIN and len(values) == 1:
                return _PLAIN[call.func.id](values[0])
            if call.func.id in ("tuple", "list") and len(values) == 1:
                return tuple(values[0])
            if not call.args and not call.keywords:
                return self._returned(call.func.id, scope, depth)
        return UNKNOWN

    def _comprehended(self, node: ast.ListComp | ast.GeneratorExp, scope: Scope, depth: int) -> Any:
        """``[int(part) for part in …]``: the only form in which versions are taken apart."""
        call, loop = node.elt, node.generators[0]
        if len(node.generators) > 1 or loop.ifs or not isinstance(call, ast.Call):
            return UNKNOWN
        simple = len(call.args) == 1 and ast.dump(call.args[0]) == ast.dump(
            ast.Name(getattr(loop.target, "id", ""), ast.Load())
        )
        plain = _PLAIN.get(getattr(call.func, "id", ""))
        items = self.of(loop.iter, scope, depth - 1)
        if not simple or plain is None or items is UNKNOWN:
            return UNKNOWN
        return tuple(plain(item) for item in items)

    def _returned(self, name: str, scope: Scope, depth: int) -> Any:
        """What a function of this file without arguments gives, if that is one expression."""
        function = self._function(name, scope)
        if function is None:
            return UNKNOWN
        body = function.body
        last = body[-1]
        if len(body) > 2 or not isinstance(last, ast.Return):
            return UNKNOWN
        return self.of(last.value, self.source.scope_of(function), depth - 1)

    def _function(self, name: str, scope: Scope) -> ast.FunctionDef | None:
        """The one function of this file that a name stands for in a scope."""
        if self._functions is None:
            self._functions = {}
            for node, around in self.source.functions:
                if isinstance(node, ast.FunctionDef):
                    self._functions.setdefault((around, node.name), []).append(node)
        home = scope.home(name)
        found = self._functions.get((home, name), []) if home is not None else []
        return found[0] if len(found) == 1 else None

    def _gone(self) -> dict[int, int]:
        """What is assigned in a branch that ends with a return → the last line that it reaches."""
        if self._left is None:
            self._left = {
                id(part.value): node.body[-1].end_lineno or 0
                for node in ast.walk(self.source.tree)
                if isinstance(node, ast.If) and isinstance(node.body[-1], (ast.Return, ast.Raise))
                for statement in node.body
                for part in ast.walk(statement)
                if isinstance(part, ast.Assign)
            }
        return self._left

    def _assigned(self) -> dict[tuple[Scope, str], list[ast.expr]]:
        if self._bindings is None:
            self._bindings = {}
            for statement, scope in self.source.assignments:
                value = statement.value
                targets = (
                    statement.targets if isinstance(statement, ast.Assign) else [statement.target]
                )
                for place in targets if value is not None else ():
                    for name, given in _pairs(place, value):
                        self._bindings.setdefault((scope, name), []).append(given)
                    own = _of_self(place, scope)
                    if own is not None and value is not None:
                        self._bindings.setdefault(own, []).append(value)
        return self._bindings


def _of_self(node: ast.AST, scope: Scope) -> tuple[Scope, str] | None:
    """``self.name`` → the scope of the class, and ``self.name``."""
    if not (isinstance(node, ast.Attribute) and getattr(node.value, "id", "") == "self"):
        return None
    around: Scope | None = scope
    while around is not None and not around.is_class:
        around = around.parent
    return None if around is None else (around, f"self.{node.attr}")


def _pairs(place: ast.expr, value: ast.expr | None) -> Sequence[tuple[str, ast.expr]]:
    """(name, what it is given) of one assignment."""
    if value is None:
        return ()
    if isinstance(place, ast.Name):
        return ((place.id, value),)
    sequences = (ast.Tuple, ast.List)
    if not (isinstance(place, sequences) and isinstance(value, sequences)):
        return ()
    if len(value.elts) != len(place.elts):
        return ()
    return [pair for one, other in zip(place.elts, value.elts) for pair in _pairs(one, other)]


def _joined(node: ast.BoolOp, values: list[Any]) -> Any:
    """``and`` and ``or``, where one side may decide without the others."""
    decides = isinstance(node.op, ast.Or)
    if any(value is not UNKNOWN and bool(value) is decides for value in values):
        return decides
    return UNKNOWN if UNKNOWN in values else not decides
