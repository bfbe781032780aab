"""CL301, CL302: the flag that chooses the program format, set when nothing reads it any more."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from compatload.checking.finding import Finding
from compatload.checking.python_source import PythonSource, Scope
from compatload.checking.source_rules.finding import applies, found
from compatload.checking.target import Target

TRIGGERS = (re.compile(rb"FLAGS_enable_pir_api"),)
FLAG = "FLAGS_enable_pir_api"

# Packages that import paddle while they are imported (read in their wheels on PyPI).
_IMPORT_PADDLE = frozenset(
    {"paddle", "paddleocr", "paddlex", "paddlenlp", "ppdet", "ppcls", "paddleclas", "paddleseg"}
)


def find(source: PythonSource, target: Target) -> Iterator[Finding]:
    if applies("CL301", target):
        for node, scope in _environment_writes(source):
            line = _import_before(source, node, scope)
            if line is not None:
                yield found(
                    "CL301",
                    source,
                    node,
                    target,
                    f"{FLAG} is set here, and paddle was imported in line {line}: "
                    f"the flag has no effect on {target}.",
                )
    if applies("CL302", target):
        for call, scope in source.calls:
            if source.resolve(call.func, scope) in _SETTERS and _mentions(call, FLAG):
                yield found(
                    "CL302",
                    source,
                    call,
                    target,
                    f"paddle.set_flags with {FLAG} has no effect on {target}.",
                )


_SETTERS = ("paddle.set_flags", "paddle.framework.set_flags", "paddle.base.set_flags")
_ENVIRON = "os.environ"


def _environment_writes(source: PythonSource) -> Iterator[tuple[ast.AST, Scope]]:
    """``os.environ[FLAG] = …``, ``setdefault``, ``update`` and ``os.putenv``."""
    for statement, scope in source.assignments:
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        for place in targets:
            if (
                isinstance(place, ast.Subscript)
                and source.resolve(place.value, scope) == _ENVIRON
                and _mentions(place.slice, FLAG)
            ):
                yield statement, scope
    for call, scope in source.calls:
        name = source.resolve(call.func, scope)
        first = call.args[:1]
        if name in (f"{_ENVIRON}.setdefault", "os.putenv"):
            if first and _mentions(first[0], FLAG):
                yield call, scope
        elif name == f"{_ENVIRON}.update" and _mentions(call, FLAG):
            yield call, scope


def _import_before(source: PythonSource, node: ast.AST, scope: Scope) -> int | None:
    """The line of an import of paddle that has run before the node, or None.

    A module's own imports have run when one of its functions does, wherever they stand.
    """
    line = getattr(node, "lineno", 0)
    for statement in source.imports:
        if statement.name.partition(".")[0] not in _IMPORT_PADDLE:
            continue
        earlier = statement.node.lineno < line
        if statement.scope is scope and earlier:
            return statement.node.lineno
        if statement.scope.is_module and not scope.is_module:
            return statement.node.lineno
    return None


def _mentions(node: ast.AST, text: str) -> bool:
    return any(
        (isinstance(part, ast.Constant) and part.value == text)
        or (isinstance(part, ast.keyword) and part.arg == text)
        for part in ast.walk(node)
    )
