"""CL423: a converted function leaves a keyword-only parameter to its default."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Union

from compatload.checking.python_source import PythonSource, Scope
from compatload.checking.source_rules.to_static.converted import Converted
from compatload.checking.source_rules.to_static.sighting import Sighting, Use

_Function = Union[ast.FunctionDef, ast.AsyncFunctionDef]


def sightings(
    source: PythonSource, converted: Sequence[Converted]
) -> Iterator[tuple[Sighting, Use]]:
    """Of the functions that are converted first, and of the ones that they call.

    A function inside of a converted one keeps its defaults.
    """
    having = {node: scope for node, scope in source.functions if _defaults(node)}
    if not having:
        return
    plain: dict[tuple[ast.AST | None, str], _Function] = {
        (scope.node, node.name): node
        for node, scope in having.items()
        # What a decorator makes of it cannot be told.
        if (scope.is_module or scope.is_class) and not node.decorator_list
    }
    for function in converted:
        if function.node in having and _is_first(function):
            for parameter in _defaults(function.node).values():
                yield Sighting("CL423", parameter, "forward"), function.use
        for node in ast.walk(function.node):
            if isinstance(node, ast.Call):
                called = plain.get(_place(node.func, function.scope))
                if called is not None and _leaves_out(node, called):
                    variant = "method" if isinstance(node.func, ast.Attribute) else ""
                    yield Sighting("CL423", node, variant), function.use


def _defaults(node: _Function) -> dict[str, ast.arg]:
    """Keyword-only parameters that have a default."""
    parameters = zip(node.args.kwonlyargs, node.args.kw_defaults)
    return {parameter.arg: parameter for parameter, default in parameters if default is not None}


def _is_first(function: Converted) -> bool:
    """Whether Paddle calls it, not another converted function: with positional arguments."""
    parent = function.scope.parent
    method = parent is not None and parent.is_class
    return not method or function.node.name == "forward" or bool(function.node.decorator_list)


def _place(called: ast.expr, scope: Scope) -> tuple[ast.AST | None, str]:
    """Where the function that is called in ``scope`` is bound in this file, and its name there."""
    if isinstance(called, ast.Name):
        home = scope.home(called.id)
        return home.node if home else None, called.id
    if isinstance(called, ast.Attribute) and isinstance(called.value, ast.Name):
        parent = scope.parent
        if called.value.id == "self" and parent is not None and parent.is_class:
            return parent.node, called.attr
    return None, ""


def _leaves_out(call: ast.Call, called: _Function) -> bool:
    given = {keyword.arg for keyword in call.keywords}
    return None not in given and not _defaults(called).keys() <= given
