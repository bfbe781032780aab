"""CL301, CL302: the flag that chooses the program format, set when nothing reads it any more."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from compatload.checking.finding import Finding
from compatload.checking.python_source import PythonSource, Scope
from compatload.checking.python_values import PythonValues
from compatload.checking.source_rules.finding import applies, found
from compatload.checking.source_rules.imports import import_before
from compatload.checking.target import Target

TRIGGERS = (re.compile(rb"FLAGS_enable_pir_api"),)
FLAG = "FLAGS_enable_pir_api"
_SETTERS = ("paddle.set_flags", "paddle.framework.set_flags", "paddle.base.set_flags")
_ENVIRON = "os.environ"


def find(source: PythonSource, target: Target) -> Iterator[Finding]:
    values = PythonValues(source, target)
    if applies("CL301", target):
        for node, scope in environment_writes(source, values):
            line = import_before(source, getattr(node, "lineno", 0), scope)
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
            if source.resolve(call.func, scope) in _SETTERS and values.mentions(
                call, _is_flag, scope
            ):
                yield found(
                    "CL302",
                    source,
                    call,
                    target,
                    f"paddle.set_flags with {FLAG} has no effect on {target}.",
                )


def environment_writes(
    source: PythonSource, values: PythonValues
) -> Iterator[tuple[ast.AST, Scope]]:
    """``os.environ[FLAG] = …``, ``setdefault``, ``update`` and ``os.putenv``."""
    for statement, scope in source.assignments:
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        for place in targets:
            if (
                isinstance(place, ast.Subscript)
                and source.resolve(place.value, scope) == _ENVIRON
                and values.of(place.slice, scope) == FLAG
            ):
                yield statement, scope
    for call, scope in source.calls:
        name = source.resolve(call.func, scope)
        if name in (f"{_ENVIRON}.setdefault", "os.putenv"):
            if call.args and values.of(call.args[0], scope) == FLAG:
                yield call, scope
        elif name == f"{_ENVIRON}.update" and values.mentions(call, _is_flag, scope):
            yield call, scope


def legacy_asked(source: PythonSource, values: PythonValues) -> bool:
    """Whether the file sets FLAGS_enable_pir_api to 0 above its import of paddle."""
    for node, scope in environment_writes(source, values):
        line = getattr(node, "lineno", 0)
        off = any(
            isinstance(part, ast.Constant) and str(part.value) in ("0", "False", "false")
            for part in ast.walk(node)
        )
        if off and import_before(source, line, scope) is None:
            return True
    return False


def _is_flag(text: str) -> bool:
    return text == FLAG
