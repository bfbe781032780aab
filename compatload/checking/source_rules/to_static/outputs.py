"""CL421, CL430, CL431, CL441: what a converted function takes and gives back."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cached_property, lru_cache
from typing import Union

from compatload.checking.python_source import PythonSource, Scope
from compatload.checking.source_rules.to_static.converted import Converted
from compatload.checking.source_rules.to_static.sighting import Sighting, Use
from compatload.checking.source_rules.to_static.tensors import TensorKind, Tensors

_DATACLASSES = ("dataclasses.dataclass",)
_DEPTH = 4  # of names and of functions that stand for a sum
_Function = Union[ast.FunctionDef, ast.AsyncFunctionDef]


def sightings(function: Converted, tensors: Tensors) -> Iterator[Sighting]:
    """Only ``forward``, or a function that is converted itself, has outputs of the program."""
    if function.node.name != "forward" and not function.certain:
        return
    if function.node.name != "forward" and not function.node.decorator_list:
        return
    if all(isinstance(one, (ast.Raise, ast.Pass, ast.Expr)) for one in function.node.body):
        return  # for others to write
    arguments = function.node.args
    if arguments.vararg is not None and not tensors.parameters and function.use is not Use.TRACED:
        yield Sighting("CL430", arguments.vararg)
    layer = function.instance
    if layer is not None and layer.arg != "self":
        yield Sighting("CL441", layer)
    sums = _Sums(tensors)
    reached = not _only_by_super(function, tensors)
    for node in tensors.nodes(ast.Return):
        for value in _values(node.value):
            given = tensors.bound_once.get(getattr(value, "id", ""), value)
            if reached and sums.is_input_plus_constant(value):
                yield Sighting("CL421", given if isinstance(given, ast.BinOp) else value)
            elif _is_dataclass(given, function, tensors):
                yield Sighting("CL431", given)


def _is_name(node: ast.expr) -> bool:
    return isinstance(node, ast.Name)


def _values(node: ast.expr | None) -> list[ast.expr]:
    """The outputs in what is returned: of tuples, lists and dicts."""
    if isinstance(node, (ast.Tuple, ast.List)):
        return [value for item in node.elts for value in _values(item)]
    if isinstance(node, ast.Dict):
        return [value for item in node.values for value in _values(item)]
    return [] if node is None else [node]


class _Sums:
    """Which values are an input of the program plus a number, however that is written."""

    def __init__(self, tensors: Tensors) -> None:
        self.tensors = tensors
        stored = {n.id for n in tensors.nodes(ast.Name) if isinstance(n.ctx, ast.Store)}
        self._rebound = stored
        self._inputs = tensors.inputs

    @cached_property
    def _functions(self) -> dict[tuple[ast.AST, str], _Function]:
        return {
            (scope.node, node.name): node
            for node, scope in self.tensors.source.functions
            if not node.decorator_list
        }

    @cached_property
    def _numbers(self) -> frozenset[str]:
        parent = self.tensors.function.scope.parent
        return _numbers(self.tensors.source, parent)

    def is_input_plus_constant(self, value: ast.expr) -> bool:
        if isinstance(value, ast.Name):
            if self._added_in_place(value.id):
                return True
            bound = self.tensors.bound_once.get(value.id)
            return bound is not None and self.is_input_plus_constant(bound)
        return self._is_sum(value, self._inputs, self.tensors.function.scope, _DEPTH)

    def _added_in_place(self, name: str) -> bool:
        """``x += 1`` is all that happens to a parameter."""
        stores = [
            node
            for node in self.tensors.nodes(ast.Name)
            if node.id == name and isinstance(node.ctx, ast.Store)
        ]
        return (
            name in self.tensors.parameters
            and len(stores) == 1
            and any(
                change.target is stores[0]
                and isinstance(change.op, (ast.Add, ast.Sub))
                and self._is_number(change.value)
                for change in self.tensors.nodes(ast.AugAssign)
            )
        )

    def _is_sum(self, value: ast.expr, inputs: set[str], scope: Scope, depth: int) -> bool:
        if depth == 0:
            return False
        if isinstance(value, ast.BinOp) and isinstance(value.op, (ast.Add, ast.Sub)):
            sides = [(value.left, value.right)]
            if isinstance(value.op, ast.Add):
                sides.append((value.right, value.left))
            return any(
                self._is_input(one, inputs) and self._is_number(other) for one, other in sides
            )
        if isinstance(value, ast.Call):
            if self.tensors.source.resolve(value.func, scope) == "paddle.scale":
                return self._is_scale(value.args, value.keywords, inputs)
            if isinstance(value.func, ast.Attribute) and value.func.attr == "scale":
                return self._is_scale([value.func.value, *value.args], value.keywords, inputs)
            return self._gives_sum(value, inputs, scope, depth)
        return False

    def _is_input(self, node: ast.expr, inputs: set[str]) -> bool:
        if not isinstance(node, ast.Name):
            return False
        if node.id in inputs:
            return True
        bound = self.tensors.bound_once.get(node.id)
        return bound is not node and isinstance(bound, ast.Name) and bound.id in inputs

    def _is_scale(
        self, arguments: list[ast.expr], keywords: list[ast.keyword], inputs: set[str]
    ) -> bool:
        """``paddle.scale(x, 1.0, bias=0.5)``."""
        given = {keyword.arg: keyword.value for keyword in keywords}
        given.update(zip(("x", "scale", "bias"), arguments))
        factor, shift = given.get("scale"), given.get("bias")
        by_one = factor is None or (isinstance(factor, ast.Constant) and factor.value == 1)
        on_input = "x" in given and self._is_input(given["x"], inputs)
        return on_input and by_one and shift is not None and self._is_number(shift)

    def _gives_sum(self, call: ast.Call, inputs: set[str], scope: Scope, depth: int) -> bool:
        """A function of this file whose one statement returns such a sum of its argument."""
        called = self._called(call, scope)
        if called is None or not isinstance(called.body[-1], ast.Return) or len(called.body) > 2:
            return False
        names = [argument.arg for argument in called.args.args]
        if isinstance(call.func, ast.Attribute):
            names = names[1:]  # self
        given = {name for name, arg in zip(names, call.args) if self._is_input(arg, inputs)}
        numbers = set(names[len(call.args) :])  # left to their defaults
        returned = called.body[-1].value
        if not (isinstance(returned, ast.BinOp) and isinstance(returned.op, (ast.Add, ast.Sub))):
            return False
        sides = (returned.left, returned.right)
        return any(getattr(side, "id", "") in given for side in sides) and any(
            getattr(side, "id", "") in numbers or self._is_number(side) for side in sides
        )

    def _called(self, call: ast.Call, scope: Scope) -> _Function | None:
        """A function of the file, or a method of the class."""
        if isinstance(call.func, ast.Name):
            home = scope.home(call.func.id)
            return self._functions.get((home.node, call.func.id)) if home is not None else None
        if isinstance(call.func, ast.Attribute) and getattr(call.func.value, "id", "") == "self":
            parent = self.tensors.function.scope.parent
            return self._functions.get((parent.node, call.func.attr)) if parent else None
        return None

    def _is_number(self, node: ast.expr) -> bool:
        if isinstance(node, ast.BinOp):
            return self._is_number(node.left) and self._is_number(node.right)
        if isinstance(node, ast.Subscript):  # of a dict of the module that holds numbers
            return f"{getattr(node.value, 'id', '')}[]" in self._numbers
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return self._is_number(node.operand)
        if isinstance(node, ast.Constant):
            return isinstance(node.value, (int, float)) and not isinstance(node.value, bool)
        if isinstance(node, ast.Name):
            bound = self.tensors.bound_once.get(node.id)
            if bound is not None:
                return bound is not node and not _is_name(bound) and self._is_number(bound)
            return node.id in self._numbers and node.id not in self._rebound
        if isinstance(node, ast.Attribute):
            return getattr(node.value, "id", "") == "self" and f"self.{node.attr}" in self._numbers
        return False


@lru_cache(maxsize=8)
def _numbers(source: PythonSource, class_scope: Scope | None) -> frozenset[str]:
    """Names of the module, and attributes that the class sets, that are numbers and stay so."""
    told: dict[str, list[bool]] = {}
    for statement, scope in source.assignments:
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        for target in targets:
            number = _is_plain_number(statement.value, scope)
            if isinstance(target, ast.Name) and scope.is_module:
                told.setdefault(target.id, []).append(number)
                items = getattr(statement.value, "values", [])
                told.setdefault(f"{target.id}[]", []).append(
                    isinstance(statement.value, ast.Dict)
                    and all(_is_plain_number(item, scope) for item in items)
                )
            elif (
                isinstance(target, ast.Attribute)
                and getattr(target.value, "id", "") == "self"
                and class_scope is not None
                and scope.parent is class_scope
            ):
                told.setdefault(f"self.{target.attr}", []).append(number)
    return frozenset(name for name, numbers in told.items() if all(numbers))


def _is_plain_number(value: ast.expr | None, scope: Scope) -> bool:
    """A number, or a parameter whose default is one."""
    if isinstance(value, ast.UnaryOp):
        value = value.operand
    if isinstance(value, ast.Name) and isinstance(scope.node, ast.FunctionDef):
        arguments = scope.node.args
        defaults = dict(
            zip((a.arg for a in reversed(arguments.args)), reversed(arguments.defaults))
        )
        value = defaults.get(value.id)
    return (
        isinstance(value, ast.Constant)
        and isinstance(value.value, (int, float))
        and not isinstance(value.value, bool)
    )


def _is_dataclass(value: ast.expr, function: Converted, tensors: Tensors) -> bool:
    if not (isinstance(value, ast.Call) and isinstance(value.func, ast.Name)):
        return False
    if not any(tensors.kind(a) > TensorKind.OTHER for a in (*value.args, *_keyword_values(value))):
        return False
    for node, scope in tensors.source.classes:
        if node.name == value.func.id and function.scope.home(node.name) is scope:
            return not node.bases and any(
                tensors.source.resolve(d.func if isinstance(d, ast.Call) else d, scope)
                in _DATACLASSES
                for d in node.decorator_list
            )
    return False


def _keyword_values(call: ast.Call) -> list[ast.expr]:
    return [keyword.value for keyword in call.keywords]


def _only_by_super(function: Converted, tensors: Tensors) -> bool:
    """Whether the file only derives from the class, with a forward of its own that calls this."""
    parent = function.scope.parent
    if parent is None or not parent.is_class:
        return False
    name = getattr(parent.node, "name", "")
    derived = [
        node
        for node, _ in tensors.source.classes
        if any(getattr(base, "id", "") == name for base in node.bases)
    ]
    made = any(getattr(call.func, "id", "") == name for call, _ in tensors.source.calls)
    return (
        bool(derived)
        and not made
        and all(
            any(getattr(item, "name", "") == function.node.name for item in node.body)
            for node in derived
        )
    )
