"""CL412, CL413, CL415, CL417, CL428, CL432, CL438: calls that no program can hold."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from compatload.checking.source_rules.to_static.converted import Converted
from compatload.checking.source_rules.to_static.sighting import Sighting
from compatload.checking.source_rules.to_static.tensors import TensorKind, Tensors

_FILLS = frozenset({"fill_", "zero_"})
_LOADS_WEIGHTS = frozenset({"set_state_dict", "set_dict", "load_dict"})


def sightings(function: Converted, tensors: Tensors) -> Iterator[Sighting]:
    for statement in tensors.nodes(ast.Expr):
        yield from _change_lost(statement, tensors)
    for test in tensors.nodes(ast.Compare):
        if _is_type_of_tensor(test, tensors):
            yield Sighting("CL428", test)
    for node in tensors.nodes(ast.Call):
        numpy_name = tensors.source.resolve(node.func, function.scope) or ""
        if numpy_name.startswith("numpy.") and any(_has_tensor(a, tensors) for a in node.args):
            yield Sighting("CL412", node, numpy_name.partition(".")[2])
        if _asks_for_tensor(node, tensors):
            yield Sighting("CL428", node)
        if _is_recursion(node, function) and tensors.branches:
            yield Sighting("CL432", node)
        if not isinstance(node.func, ast.Attribute):
            continue
        method, on = node.func.attr, node.func.value
        if method == "tolist" and tensors.kind(on) is TensorKind.SURE:
            yield Sighting("CL412", node, "tolist")
        elif method in _LOADS_WEIGHTS and node.args:
            yield Sighting("CL413", node)
        elif method == "register_hook":
            yield Sighting("CL417", node)
        elif method == "forward" and _is_bare_super(on):
            yield Sighting("CL415", on)


def _change_lost(statement: ast.Expr, tensors: Tensors) -> Iterator[Sighting]:
    """``y.exp_()``, ``F.relu_(y)`` or ``y[0].exp_()``, and nobody takes what it gives."""
    first = changing(statement.value, is_change)
    if first is None:
        return
    call, called = first
    function = tensors.source.resolve(called, tensors.function.scope) or ""
    if function.startswith("paddle."):
        if call.args and tensors.kind(call.args[0]) > TensorKind.OTHER:
            yield Sighting("CL438", statement, "function")
    elif tensors.kind(called.value) > TensorKind.OTHER:
        is_part = isinstance(called.value, ast.Subscript)
        variant = "part" if is_part else "fill" if called.attr in _FILLS else ""
        yield Sighting("CL438", statement, variant)


def is_change(name: str) -> bool:
    """Whether a function of Paddle of that name changes its first argument in place."""
    return name.endswith("_") and not name.endswith("__")


def changing(
    call: ast.expr, is_change: Callable[[str], bool]
) -> tuple[ast.Call, ast.Attribute] | None:
    """The first of a chain of calls (``y.add_(x).mul_(2)``) and what it calls, where all of them
    change in place; None where they do not, or it is no call of an attribute."""
    first = None
    while isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute):
        if not is_change(call.func.attr):
            return None
        first, call = (call, call.func), call.func.value
    return first


def _is_bare_super(node: ast.expr) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "super"
        and not node.args
    )


def _has_tensor(argument: ast.expr, tensors: Tensors) -> bool:
    """Whether a Tensor, or its ``numpy()``, is in an argument of a numpy function."""
    if isinstance(argument, ast.Name) and argument.id in tensors.parameters:
        return tensors.function.certain
    return tensors.kind(argument) is TensorKind.SURE or any(
        tensors.is_array(part) for part in ast.walk(argument)
    )


def _asks_for_tensor(node: ast.Call, tensors: Tensors) -> bool:
    """``isinstance(x, paddle.Tensor)`` of what is one, and of no other type beside it."""
    return (
        isinstance(node.func, ast.Name)
        and node.func.id == "isinstance"
        and len(node.args) == 2
        and tensors.kind(node.args[0]) > TensorKind.OTHER
        and tensors.source.resolve(node.args[1], tensors.function.scope) == "paddle.Tensor"
    )


def _is_type_of_tensor(node: ast.Compare, tensors: Tensors) -> bool:
    """``type(x) is paddle.Tensor``."""
    return (
        isinstance(node.left, ast.Call)
        and getattr(node.left.func, "id", "") == "type"
        and len(node.left.args) == 1
        and tensors.kind(node.left.args[0]) > TensorKind.OTHER
        and tensors.source.resolve(node.comparators[0], tensors.function.scope) == "paddle.Tensor"
    )


def _is_recursion(node: ast.Call, function: Converted) -> bool:
    if isinstance(node.func, ast.Name):
        return node.func.id == function.node.name and not _is_method(function)
    return (
        isinstance(node.func, ast.Attribute)
        and getattr(node.func.value, "id", "") == "self"
        and node.func.attr == function.node.name
        and _is_method(function)
    )


def _is_method(function: Converted) -> bool:
    parent = function.scope.parent
    return parent is not None and parent.is_class
