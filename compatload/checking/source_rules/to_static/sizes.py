"""CL429, CL433, CL437, CL439, CL440: Python and numpy on a free dimension, and comprehensions."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from compatload.checking.source_rules.to_static.converted import Converted
from compatload.checking.source_rules.to_static.loops import zipped
from compatload.checking.source_rules.to_static.sighting import Sighting
from compatload.checking.source_rules.to_static.tensors import Tensors
from compatload.operators.decimals import as_float32

_NUMPY_OF_NUMBERS = frozenset({"numpy.arange", "numpy.linspace", "numpy.zeros", "numpy.ones"})


def sightings(function: Converted, tensors: Tensors) -> Iterator[Sighting]:
    for call in tensors.nodes(ast.Call):
        name = tensors.source.resolve(call.func, function.scope) or ""
        if any(tensors.is_free(argument) for argument in call.args):
            if name.startswith("math."):
                yield Sighting("CL429", call, "math")
            elif name in _NUMPY_OF_NUMBERS:
                yield Sighting("CL429", call)
        yield from _of_python(call, tensors)
        summed = call.args[:1] if getattr(call.func, "id", "") == "sum" else []
        if any(_grows_in_branch(items, tensors) for items in summed):
            yield Sighting("CL433", call, "sum")
    for kind in (ast.ListComp, ast.GeneratorExp, ast.SetComp):
        for node in tensors.nodes(kind):
            over: ast.expr = node.generators[0].iter  # type: ignore[attr-defined]
            if any(tensors.is_free(end) for end in _ends_of_range(over)):
                yield Sighting("CL433", node, "range")
            elif 0 in tensors.free and any(_is_input(one, tensors) for one in zipped(over)):
                yield Sighting("CL437", node)
            elif isinstance(over, ast.Name) and 0 in tensors.free and _is_input(over, tensors):
                yield Sighting("CL433", node)


def _of_python(call: ast.Call, tensors: Tensors) -> Iterator[Sighting]:
    """Python's own functions, by the names that nobody else gives."""
    name, given = getattr(call.func, "id", ""), call.args
    if name == "int" and any(_is_inexact(part, tensors) for one in given for part in ast.walk(one)):
        yield Sighting("CL439", call)
    elif name in ("min", "max") and not call.keywords and any(map(tensors.is_free, given)):
        yield Sighting("CL440", call)
    elif name in ("round", "divmod") and any(map(tensors.is_free, given[:1])):
        yield Sighting("CL440", call, "round")
    elif name in ("any", "all") and any(tensors.decides(one) for one in _items(given)):
        yield Sighting("CL440", call, "any")


def _is_inexact(node: ast.AST, tensors: Tensors) -> bool:
    """A size, times or by a fraction that single precision rounds."""
    if not (isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Mult, ast.Div))):
        return False
    sides = (node.left, node.right)
    return any(map(tensors.is_free, sides)) and any(
        isinstance(one, ast.Constant)
        and isinstance(one.value, float)
        and as_float32(one.value) != one.value
        for one in sides
    )


def _items(given: list[ast.expr]) -> list[ast.expr]:
    first = given[0] if len(given) == 1 else None
    if isinstance(first, (ast.GeneratorExp, ast.ListComp)):
        return [first.elt]
    return first.elts if isinstance(first, (ast.List, ast.Tuple)) else []


def _ends_of_range(node: ast.expr) -> list[ast.expr]:
    is_range = isinstance(node, ast.Call) and getattr(node.func, "id", "") == "range"
    return node.args if is_range else []  # type: ignore[attr-defined]


def _is_input(node: ast.expr, tensors: Tensors) -> bool:
    """Something that is surely a Tensor; a parameter may be a list of such."""
    return tensors.surely(node) or (
        tensors.function.certain
        and isinstance(node, ast.Name)
        and node.id in tensors.inputs
        and _has_specification(tensors)
    )


def _has_specification(tensors: Tensors) -> bool:
    """The file says what its inputs are: Tensors, not lists of them."""
    return b"InputSpec(" in tensors.source.data


def _grows_in_branch(items: ast.expr, tensors: Tensors) -> bool:
    """A list that is appended to under an ``if`` on a Tensor."""
    if not isinstance(items, ast.Name):
        return False
    return any(
        isinstance(part, ast.Call)
        and isinstance(part.func, ast.Attribute)
        and part.func.attr == "append"
        and getattr(part.func.value, "id", "") == items.id
        for branch in (*tensors.branches, *tensors.loops)
        for statement in branch.body
        for part in ast.walk(statement)
    )
