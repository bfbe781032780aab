"""CL429, CL433, CL437: Python and numpy on a free dimension, and comprehensions over one."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from compatload.checking.source_rules.to_static.converted import Converted
from compatload.checking.source_rules.to_static.loops import zipped
from compatload.checking.source_rules.to_static.sighting import Sighting
from compatload.checking.source_rules.to_static.tensors import Tensors

_NUMPY_OF_NUMBERS = frozenset({"numpy.arange", "numpy.linspace", "numpy.zeros", "numpy.ones"})


def sightings(function: Converted, tensors: Tensors) -> Iterator[Sighting]:
    for call in tensors.nodes(ast.Call):
        name = tensors.source.resolve(call.func, function.scope) or ""
        if any(tensors.is_free(argument) for argument in call.args):
            if name.startswith("math."):
                yield Sighting("CL429", call, "math")
            elif name in _NUMPY_OF_NUMBERS:
                yield Sighting("CL429", call)
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
