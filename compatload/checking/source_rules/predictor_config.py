"""CL304, CL310: uses of ``paddle.inference.Config`` whose meaning depends on the release."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from packaging.version import Version

from compatload.checking.finding import Finding
from compatload.checking.python_source import PythonSource, Scope
from compatload.checking.python_values import Values
from compatload.checking.reach import Reach
from compatload.checking.source_rules.finding import applies, found
from compatload.checking.target import Target

TRIGGERS = (
    re.compile(rb"\bConfig\(|set_model\(|enable_memory_optim"),
    re.compile(rb"inference"),
)

_CONFIGS = ("paddle.inference.Config", "paddle.base.core.AnalysisConfig")
_PACKAGE = "paddle.inference"
_FIRST_WITH_PREFIX = Version("3.0")


def find(source: PythonSource, target: Target) -> Iterator[Finding]:
    if not _uses_inference(source):
        return
    reach = Reach(source, target)
    for call, scope in source.calls:
        if _is_config(call, scope, source) and _is_prefix_form(call):
            if not reach.by_version(call):
                yield found(
                    "CL304", source, call, target, _message(target), severity=_severity(target)
                )
        elif (
            _method(call) == "enable_memory_optim"
            and applies("CL310", target)
            and not _switched_off(call)
            and not _works_on_pir(call, scope, source, reach.values)
        ):
            yield found(
                "CL310",
                source,
                call,
                target,
                f"On {target} create_predictor fails after enable_memory_optim if the program is "
                "a .json file.",
            )


def _uses_inference(source: PythonSource) -> bool:
    return any(statement.name.startswith("paddle") for statement in source.imports)


def _is_config(call: ast.Call, scope: Scope, source: PythonSource) -> bool:
    name = source.resolve(call.func, scope)
    if name in _CONFIGS or _method(call) == "set_model":
        return True
    # from paddle.inference import *
    return (
        isinstance(call.func, ast.Name)
        and call.func.id == "Config"
        and name is None
        and "Config" not in source.module.bound
        and _PACKAGE in source.star_imports()
    )


def _method(call: ast.Call) -> str | None:
    return call.func.attr if isinstance(call.func, ast.Attribute) else None


def _is_prefix_form(call: ast.Call) -> bool:
    """Two texts of which the second is a bare word: a file would have a suffix or be all dunder."""
    if len(call.args) != 2:
        return False
    second = call.args[1]
    if isinstance(second, ast.Constant) and isinstance(second.value, str):
        return re.fullmatch(r"(?!__)[\w-]+", second.value) is not None
    name = second.id if isinstance(second, ast.Name) else getattr(second, "attr", "")
    return "prefix" in name.lower()


def _switched_off(call: ast.Call) -> bool:
    return any(isinstance(value, ast.Constant) and value.value is False for value in call.args)


def _works_on_pir(call: ast.Call, scope: Scope, source: PythonSource, values: Values) -> bool:
    """Whether the same Config takes the new executor, which has no such pass, or was made of a
    program that the text says is a legacy one."""
    assert isinstance(call.func, ast.Attribute)  # noqa: S101 - it is the call of a method
    config = call.func.value
    for other, around in source.calls:
        if (
            around is scope
            and _method(other) == "enable_new_executor"
            and not _switched_off(other)
            and isinstance(other.func, ast.Attribute)
            and _same(other.func.value, config)
        ):
            return True
    for statement, around in source.assignments:
        made = statement.value
        if (
            around is scope
            and isinstance(statement, ast.Assign)
            and isinstance(made, ast.Call)
            and _is_config(made, scope, source)
            and any(_same(place, config) for place in statement.targets)
            and any(values.end_of_text(a, scope).endswith(".pdmodel") for a in made.args[:1])
        ):
            return True
    return False


def _same(one: ast.expr, other: ast.expr) -> bool:
    return ast.unparse(one) == ast.unparse(other)


def _severity(target: Target) -> str:
    return "warning" if target.version >= _FIRST_WITH_PREFIX else "error"


def _message(target: Target) -> str:
    if target.version >= _FIRST_WITH_PREFIX:
        return f"On {target} this finds DIRECTORY/PREFIX.json only, not a .pdmodel."
    return f"On {target} the two texts are a program file and a weights file: it fails."
