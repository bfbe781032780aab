"""Which names of a file hold programs, layers, predictors and what hangs on them.

A small data flow: where a value came from, through names, ``self``, tuples, loops and functions of
the file. A name that is also given something unknown holds nothing known.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from compatload.checking.python_source import PythonSource, Scope
from compatload.checking.source_rules.to_static.tensors import inner

_ROUNDS = 4  # names that are given names that are given …
# Functions that make something → what it is.
MADE = {
    "paddle.static.load_inference_model": "Loaded",
    "paddle.static.io.load_inference_model": "Loaded",
    "compatload.safe_load_inference_model": "Loaded",
    "paddle.jit.load": "Layer",
    "paddle.jit.api.load": "Layer",
    "compatload.safe_load": "Layer",
    "paddle.inference.create_predictor": "Predictor",
    "compatload.safe_create_predictor": "Predictor",
    "paddle.inference.Config": "Config",
    "paddle.static.default_main_program": "Program",
    "paddle.static.default_startup_program": "Program",
    "paddle.static.Program": "Program",
    "paddle.static.normalize_program": "Program",
    "paddle.static.deserialize_program": "Program",
}
# (kind, attribute or method()) → what it gives. A kind with an s is many of the kind without.
_GIVES = {
    ("Program", "global_block()"): "Block",
    ("Program", "block()"): "Block",
    ("Program", "current_block()"): "Block",
    ("Program", "clone()"): "Program",
    ("Program", "blocks"): "Blocks",
    ("Program", "list_vars()"): "Variables",
    ("Block", "ops"): "Operators",
    ("Block", "vars"): "Variables",
    ("Block", "var()"): "Variable",
    ("Block", "program"): "Program",
    ("Operator", "block"): "Block",
    ("Operator", "results()"): "Variables",
    ("Operator", "operands_source()"): "Variables",
    ("Variable", "block"): "Block",
    ("Variable", "op"): "Operator",
    ("Variables", "values()"): "Variables",
    ("Layer", "program()"): "Program",
    ("Layer", "parameters()"): "Parameters",
    ("Predictor", "clone()"): "Predictor",
    ("Predictor", "get_input_handle()"): "Handle",
    ("Predictor", "get_output_handle()"): "Handle",
}
_PARTS = ("Program", "Names", "Variables")  # of what load_inference_model gives
_SAME_ITEMS = frozenset({"list", "tuple", "reversed", "sorted"})
_MANY = frozenset({"Blocks", "Operators", "Variables", "Parameters"})
_UNKNOWN = "?"
_Place = tuple[ast.AST, str]  # a scope's node and a name; a class and an attribute of self


class Objects:
    """Kinds of the values in one file."""

    def __init__(self, source: PythonSource) -> None:
        self.source = source
        self._kinds: dict[_Place, str] = {}
        self._nodes = [(scope, _nodes_of(scope)) for scope in source.scopes()]
        self._loops = {id(n): loop for _, nodes in self._nodes for n, loop in _in_loops(nodes)}
        self._learn_parameters()
        for _ in range(_ROUNDS):
            before = dict(self._kinds)
            for scope, nodes in self._nodes:
                for node in nodes:
                    self._learn(node, scope)
            if self._kinds == before:
                break

    def uses(self) -> Iterator[tuple[ast.Attribute, str, ast.Call | None, Scope]]:
        """Every attribute that is read of something known: the node, the kind of what it is read
        of, and the call, if it is called."""
        for scope, nodes in self._nodes:
            called = {id(n.func): n for n in nodes if isinstance(n, ast.Call)}
            for node in nodes:
                if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
                    kind = self.kind(node.value, scope)
                    if kind is not None and kind not in _MANY:
                        yield node, kind, called.get(id(node)), scope

    def kind(self, node: ast.AST | None, scope: Scope) -> str | None:
        found = self._kind(node, scope)
        return None if found == _UNKNOWN else found

    def _kind(self, node: ast.AST | None, scope: Scope) -> str | None:
        if isinstance(node, ast.Name):
            loop = self._loops.get(id(node))
            if loop is not None:
                items = self._items(loop.target, loop.iter, scope)
                return next((k for t, k in items if getattr(t, "id", "") == node.id), None)
            home = scope.home(node.id)
            return None if home is None else self._kinds.get((home.node, node.id))
        if isinstance(node, ast.Attribute):
            place = self._of_self(node, scope)
            if place is not None:
                return self._kinds.get(place)
            return self._gives(node.value, node.attr, scope)
        if isinstance(node, ast.Call):
            return self._kind_of_call(node, scope)
        if isinstance(node, ast.Subscript):
            return self._kind_of_item(node, scope)
        if isinstance(node, ast.IfExp):
            return self._kind(node.body, scope) or self._kind(node.orelse, scope)
        if isinstance(node, ast.BoolOp):
            return next((k for k in (self._kind(v, scope) for v in node.values) if k), None)
        if isinstance(node, (ast.ListComp, ast.GeneratorExp)):
            one = self._kind(node.elt, scope)
            return f"{one}s" if f"{one}s" in _MANY else None
        return None

    def _kind_of_call(self, call: ast.Call, scope: Scope) -> str | None:
        name = self.source.resolve(call.func, scope)
        if name is not None:
            return MADE.get(name)
        if isinstance(call.func, ast.Attribute):
            place = self._of_self(call.func, scope)
            if place is not None:
                return self._kinds.get((place[0], f"{place[1]}()"))
            return self._gives(call.func.value, f"{call.func.attr}()", scope)
        if isinstance(call.func, ast.Name):
            if call.func.id in _SAME_ITEMS and call.args:
                return self._kind(call.args[0], scope)
            home = scope.home(call.func.id)
            return None if home is None else self._kinds.get((home.node, f"{call.func.id}()"))
        return None

    def _kind_of_item(self, node: ast.Subscript, scope: Scope) -> str | None:
        of = self._kind(node.value, scope)
        if of == "Loaded" and isinstance(node.slice, ast.Constant):
            place = node.slice.value
            return _PARTS[place] if isinstance(place, int) and -3 <= place < 3 else None
        if of in _MANY:
            return of if isinstance(node.slice, ast.Slice) else of[:-1]
        return None

    def _gives(self, on: ast.expr, what: str, scope: Scope) -> str | None:
        of = self._kind(on, scope)
        return None if of is None else _GIVES.get((of, what))

    def _of_self(self, node: ast.Attribute, scope: Scope) -> _Place | None:
        """``self.name`` → the class and the name."""
        if not (isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")):
            return None
        around: Scope | None = scope
        while around is not None and not around.is_class:
            around = around.parent
        return None if around is None else (around.node, node.attr)

    def _learn_parameters(self) -> None:
        for node, scope in self.source.functions:
            for argument in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs):
                if argument.annotation is not None:
                    kind = MADE.get(self.source.resolve(argument.annotation, scope) or "")
                    if kind in ("Program", "Config"):
                        self._kinds[node, argument.arg] = kind

    def _learn(self, node: ast.AST, scope: Scope) -> None:
        if isinstance(node, ast.Assign):
            for target in node.targets:
                self._bind(target, node.value, scope)
        elif isinstance(node, (ast.AnnAssign, ast.NamedExpr)) and node.value is not None:
            self._bind(node.target, node.value, scope)
        elif isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension)):
            for target, kind in self._items(node.target, node.iter, scope):
                self._put(self._place(target, scope), kind, node.iter)
        elif isinstance(node, ast.Return) and scope.parent is not None:
            name = getattr(scope.node, "name", "")
            self._put((scope.parent.node, f"{name}()"), self._kind(node.value, scope), node.value)

    def _bind(self, target: ast.expr, value: ast.expr, scope: Scope) -> None:
        if isinstance(target, (ast.Tuple, ast.List)):
            if isinstance(value, (ast.Tuple, ast.List)) and len(value.elts) == len(target.elts):
                for one, other in zip(target.elts, value.elts):
                    self._bind(one, other, scope)
            elif self._kind(value, scope) == "Loaded":
                for one, kind in zip(target.elts, _PARTS):
                    self._put(self._place(one, scope), kind, value)
            return
        self._put(self._place(target, scope), self._kind(value, scope), value)

    def _items(
        self, target: ast.expr, items: ast.expr, scope: Scope
    ) -> Iterator[tuple[ast.expr, str | None]]:
        """What a loop binds, each with its kind."""
        if isinstance(items, ast.Call) and isinstance(target, ast.Tuple) and target.elts:
            last = target.elts[-1]
            if getattr(items.func, "id", "") == "enumerate" and items.args:
                yield from self._items(last, items.args[0], scope)
                return
            if isinstance(items.func, ast.Attribute) and items.func.attr == "items":
                yield last, _one(self._kind(items.func.value, scope))
                return
        yield target, _one(self._kind(items, scope))

    def _place(self, target: ast.expr, scope: Scope) -> _Place | None:
        if isinstance(target, ast.Name):
            home = scope.home(target.id) or scope
            return home.node, target.id
        return self._of_self(target, scope) if isinstance(target, ast.Attribute) else None

    def _put(self, place: _Place | None, kind: str | None, value: ast.expr | None) -> None:
        if place is None or value is None or _is_none(value):
            return
        known = self._kinds.get(place)
        if known is None and kind is not None:
            self._kinds[place] = kind
        elif known is not None and kind != known:
            self._kinds[place] = _UNKNOWN


def _one(kind: str | None) -> str | None:
    """The kind of an item."""
    return kind[:-1] if kind in _MANY else None


def _in_loops(nodes: list[ast.AST]) -> Iterator[tuple[ast.AST, ast.For | ast.AsyncFor]]:
    """Names that are read in a loop which binds them, with the innermost such loop."""
    for loop in nodes:
        if isinstance(loop, (ast.For, ast.AsyncFor)):
            bound = {part.id for part in ast.walk(loop.target) if isinstance(part, ast.Name)}
            for node in inner(loop.body):
                if isinstance(node, ast.Name) and node.id in bound:
                    yield node, loop


def _is_none(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and value.value is None


def _nodes_of(scope: Scope) -> list[ast.AST]:
    """The nodes that stand in a scope itself."""
    body = getattr(scope.node, "body", [])
    return list(inner(body if isinstance(body, list) else [body]))
