"""CL304, CL310: uses of ``paddle.inference.Config`` whose meaning depends on the release."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from packaging.version import Version

from compatload.checking.finding import Finding
from compatload.checking.python_source import PythonSource, Scope
from compatload.checking.python_values import PythonValues
from compatload.checking.source_rules.finding import applies, found
from compatload.checking.target import Target

TRIGGERS = (
    re.compile(rb"\bConfig\(|set_model\(|enable_memory_optim"),
    re.compile(rb"inference"),
)

_CONFIGS = ("paddle.inference.Config", "paddle.base.core.AnalysisConfig")
_PACKAGE = "paddle.inference"
_LEGACY = (".pdmodel", "__model__")
_FIRST_WITH_PREFIX = Version("3.0")


def find(source: PythonSource, target: Target) -> Iterator[Finding]:
    if not _uses_inference(source):
        return
    values = PythonValues(source, target)
    for call, scope in source.calls:
        if _is_config(call, scope, source) and _is_prefix_form(call):
            yield found("CL304", source, call, target, _message(target), severity=_severity(target))
        elif (
            _method(call) == "enable_memory_optim"
            and applies("CL310", target)
            and not _switched_off(call)
            and not _works_on_pir(call, scope, source, values)
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


def _works_on_pir(call: ast.Call, scope: Scope, source: PythonSource, values: PythonValues) -> bool:
    """Whether the same Config takes the new executor, which has no such pass, or was made of a
    program that the text says is a legacy one."""
    config = _variable(call.func.value, scope)  # type: ignore[attr-defined]
    for other, around in source.calls:
        if (
            _method(other) == "enable_new_executor"
            and not _switched_off(other)
            and _variable(other.func.value, around) == config  # type: ignore[attr-defined]
        ):
            return True
    made = [
        (statement.value, around)
        for statement, around in source.assignments
        if isinstance(statement.value, ast.Call)
        and isinstance(statement, ast.Assign)
        and _is_config(statement.value, around, source)
        and any(_variable(place, around) == config for place in statement.targets)
    ]
    programs = [(one.args[0], around) for one, around in made if one.args]
    return bool(programs) and all(
        end.endswith(_LEGACY)
        for program, around in programs
        for end in values.ends_of_text(program, around)
    )


def _variable(node: ast.expr, scope: Scope) -> tuple[Scope | None, str]:
    """What two expressions have in common that stand for one thing: ``self.x`` in a class, and
    anything else in one function."""
    text = ast.unparse(node)
    around: Scope | None = scope
    while text.startswith("self.") and around is not None and not around.is_class:
        around = around.parent
    return around, text


def _severity(target: Target) -> str:
    return "warning" if target.version >= _FIRST_WITH_PREFIX else "error"


def _message(target: Target) -> str:
    if target.version >= _FIRST_WITH_PREFIX:
        return f"On {target} this finds DIRECTORY/PREFIX.json only, not a .pdmodel."
    return f"On {target} the two texts are a program file and a weights file: it fails."
