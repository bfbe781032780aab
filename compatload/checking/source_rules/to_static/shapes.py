"""CL419: arithmetic on ``x.shape`` in a function that conversion leaves alone."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from compatload.checking.python_source import PythonSource
from compatload.checking.source_rules.to_static.converted import NOT_TO_STATIC
from compatload.checking.source_rules.to_static.sighting import Sighting, Use
from compatload.checking.source_rules.to_static.tensors import inner

_RESHAPES = frozenset({"reshape", "view"})


def sightings(source: PythonSource) -> Iterator[tuple[Sighting, Use]]:
    for node, scope in source.functions:
        if any(source.resolve(d, scope) in NOT_TO_STATIC for d in node.decorator_list):
            nodes = list(inner(node.body))
            dimensions = _dimension_names(nodes)
            for call in nodes:
                if _is_reshape(call) and any(
                    _computes(part, dimensions) for part in ast.walk(call)
                ):
                    yield Sighting("CL419", call), Use.EXPORTED


def _is_reshape(node: ast.AST) -> bool:
    if not isinstance(node, ast.Call):
        return False
    return (node.func.attr if isinstance(node.func, ast.Attribute) else "") in _RESHAPES


def _dimension_names(nodes: list[ast.AST]) -> set[str]:
    """Names that hold dimensions: ``b = x.shape[0]``, ``b, c = x.shape[:2]``."""
    names: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Assign) and _is_shape(node.value):
            for target in node.targets:
                names |= {part.id for part in ast.walk(target) if isinstance(part, ast.Name)}
    return names


def _is_shape(node: ast.expr) -> bool:
    while isinstance(node, ast.Subscript):
        node = node.value
    return isinstance(node, ast.Attribute) and node.attr == "shape"


def _computes(node: ast.AST, dimensions: set[str]) -> bool:
    """A product, quotient, sum or difference with a dimension in it."""
    if not isinstance(node, ast.BinOp):
        return False
    return any(
        (isinstance(side, ast.Name) and side.id in dimensions)
        or (isinstance(side, ast.Subscript) and _is_shape(side))
        for side in (node.left, node.right)
    )
