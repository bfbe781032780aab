"""Which functions of a file are converted to a static graph, and how."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from compatload.checking.python_source import PythonSource, Scope
from compatload.checking.source_rules.to_static.sighting import Use

TO_STATIC = ("paddle.jit.to_static", "paddle.jit.api.to_static", "paddle.jit.declarative")
NOT_TO_STATIC = ("paddle.jit.not_to_static", "paddle.jit.api.not_to_static")
_SAVE = ("paddle.jit.save", "paddle.jit.api.save")
_LAYERS = ("paddle.nn.Layer", "paddle.nn.layer.layers.Layer")


@dataclass(frozen=True, eq=False)
class Converted:
    """A function that is converted. ``scope`` is the one that its body's names are looked up in."""

    node: ast.FunctionDef | ast.AsyncFunctionDef
    scope: Scope
    use: Use

    @property
    def certain(self) -> bool:
        """Whether the file itself says that it is converted."""
        return self.use is not Use.PERHAPS

    @property
    def instance(self) -> ast.arg | None:
        """The parameter that is the layer itself; None of what is no method."""
        arguments = self.node.args
        places = [*arguments.posonlyargs, *arguments.args]
        if self.scope.parent is None or not self.scope.parent.is_class or not places:
            return None
        decorators = {getattr(one, "id", "") for one in self.node.decorator_list}
        return None if "staticmethod" in decorators else places[0]


def converted_functions(source: PythonSource) -> list[Converted]:
    """Decorated functions, functions given to to_static, ``forward`` of Layers, and the methods
    that these call on themselves."""
    given = dict(_given_to_static(source))
    layers = _layers(source)
    fallback = _use_of_layers(source)
    found: dict[ast.AST, Converted] = {}
    for node, scope in source.functions:
        decoration = _decoration(node, scope, source)
        if decoration == "not":
            continue
        inside = source.scope_of(node)
        if isinstance(decoration, Use):
            found[node] = Converted(node, inside, decoration)
        elif node.name in given and not scope.is_class:
            found[node] = Converted(node, inside, given[node.name])
        elif node.name == "forward" and scope.node in layers:
            found[node] = Converted(node, inside, fallback)
    _add_called_methods(source, found)
    return list(found.values())


def _decoration(
    node: ast.FunctionDef | ast.AsyncFunctionDef, scope: Scope, source: PythonSource
) -> Use | str | None:
    """The Use that a decorator asks for, ``"not"`` for not_to_static, else None."""
    for decorator in node.decorator_list:
        call = decorator if isinstance(decorator, ast.Call) else None
        name = source.resolve(call.func if call else decorator, scope)
        if name in NOT_TO_STATIC:
            return "not"
        if name in TO_STATIC:
            return asked_use(call)
    return None


def asked_use(call: ast.Call | None) -> Use:
    """What a call of to_static asks for; full_graph is off unless it says so."""
    for keyword in call.keywords if call else ():
        if keyword.arg == "full_graph":
            constant = isinstance(keyword.value, ast.Constant) and keyword.value.value
            return Use.FULL_GRAPH if constant else Use.TRACED
    return Use.TRACED


def _given_to_static(source: PythonSource) -> Iterator[tuple[str, Use]]:
    """Names of functions that are arguments of a call of to_static."""
    for call, scope in source.calls:
        if source.resolve(call.func, scope) in TO_STATIC and call.args:
            first = call.args[0]
            if isinstance(first, ast.Name):
                yield first.id, asked_use(call)


def _use_of_layers(source: PythonSource) -> Use:
    """What happens to Layers in this file: it exports some, or it does not say."""
    for reference in source.references():
        if reference.name in (*TO_STATIC, *_SAVE):
            return Use.EXPORTED
    return Use.PERHAPS


def _layers(source: PythonSource) -> set[ast.AST]:
    """Classes that derive from paddle.nn.Layer, also through classes of the same file."""
    known: set[ast.AST] = set()
    names: set[str] = set()
    for node, scope in source.classes:
        for base in node.bases:
            local = isinstance(base, ast.Name) and base.id in names
            if local or source.resolve(base, scope) in _LAYERS:
                known.add(node)
                names.add(node.name)
    return known


def _add_called_methods(source: PythonSource, found: dict[ast.AST, Converted]) -> None:
    """Methods called as ``self.name(…)`` are converted with their caller."""
    methods: dict[tuple[ast.AST, str], ast.FunctionDef | ast.AsyncFunctionDef] = {}
    owner: dict[ast.AST, Scope] = {}
    for node, scope in source.functions:
        if scope.is_class and _decoration(node, scope, source) is None:
            methods[scope.node, node.name] = node
            owner[node] = scope
    called_by = _self_calls(source)
    pending = [function for function in found.values() if function.node in owner]
    while pending:
        caller = pending.pop()
        for name in sorted(called_by.get(caller.node, ())):
            called = methods.get((owner[caller.node].node, name))
            if called is not None and called not in found:
                found[called] = Converted(called, source.scope_of(called), caller.use)
                pending.append(found[called])


def _self_calls(source: PythonSource) -> dict[ast.AST, set[str]]:
    """Function → names of the methods that it, or a function inside of it, calls on ``self``."""
    names: dict[ast.AST, set[str]] = {}
    for call, scope in source.calls:
        if (
            isinstance(call.func, ast.Attribute)
            and isinstance(call.func.value, ast.Name)
            and call.func.value.id == "self"
        ):
            around: Scope | None = scope
            while around is not None:
                names.setdefault(around.node, set()).add(call.func.attr)
                around = around.parent
    return names
