"""CL412, CL413, CL415, CL417: calls that no program can hold."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from compatload.checking.source_rules.to_static.converted import Converted
from compatload.checking.source_rules.to_static.sighting import Sighting
from compatload.checking.source_rules.to_static.tensors import Kind, Tensors

_LOADS_WEIGHTS = frozenset({"set_state_dict", "set_dict", "load_dict"})


def sightings(function: Converted, tensors: Tensors) -> Iterator[Sighting]:
    for node in tensors.nodes(ast.Call):
        numpy_name = tensors.source.resolve(node.func, function.scope) or ""
        if numpy_name.startswith("numpy.") and any(_has_tensor(a, tensors) for a in node.args):
            yield Sighting("CL412", node, numpy_name.partition(".")[2])
        if not isinstance(node.func, ast.Attribute):
            continue
        method, on = node.func.attr, node.func.value
        if method == "tolist" and tensors.kind(on) is Kind.SURE:
            yield Sighting("CL412", node, "tolist")
        elif method in _LOADS_WEIGHTS and node.args:
            yield Sighting("CL413", node)
        elif method == "register_hook":
            yield Sighting("CL417", node)
        elif method == "forward" and _is_bare_super(on):
            yield Sighting("CL415", on)


def _is_bare_super(node: ast.expr) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "super"
        and not node.args
    )


def _has_tensor(argument: ast.expr, tensors: Tensors) -> bool:
    """Whether a Tensor's ``numpy()`` is in an argument of a numpy function."""
    return any(
        isinstance(part, ast.Call)
        and isinstance(part.func, ast.Attribute)
        and part.func.attr == "numpy"
        and tensors.kind(part.func.value) > Kind.OTHER
        for part in ast.walk(argument)
    )
