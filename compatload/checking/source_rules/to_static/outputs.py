"""CL421: a converted function gives back a parameter plus a constant."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator

from compatload.checking.source_rules.to_static.converted import Converted
from compatload.checking.source_rules.to_static.sighting import Sighting
from compatload.checking.source_rules.to_static.tensors import Kind, Tensors


def sightings(function: Converted, tensors: Tensors) -> Iterator[Sighting]:
    """Only ``forward``, or a function that is converted itself, has outputs of the program."""
    if function.node.name != "forward" and not function.certain:
        return
    stored = Counter(n.id for n in tensors.nodes(ast.Name) if isinstance(n.ctx, ast.Store))
    parameters = {argument.arg for argument in function.node.args.args} - stored.keys()
    once: dict[str, ast.expr] = {}
    for assignment in tensors.nodes(ast.Assign):
        target = assignment.targets[0]
        if isinstance(target, ast.Name) and stored[target.id] == 1:
            once[target.id] = assignment.value
    for node in tensors.nodes(ast.Return):
        if node.value is not None:
            values = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
            for value in values:
                given = once.get(value.id, value) if isinstance(value, ast.Name) else value
                if _is_parameter_plus_constant(given, parameters, tensors):
                    yield Sighting("CL421", given)


def _is_parameter_plus_constant(value: ast.expr, parameters: set[str], tensors: Tensors) -> bool:
    if not (isinstance(value, ast.BinOp) and isinstance(value.op, (ast.Add, ast.Sub))):
        return False
    sides = [(value.left, value.right)]
    if isinstance(value.op, ast.Add):
        sides.append((value.right, value.left))
    return any(
        isinstance(one, ast.Name)
        and one.id in parameters
        and tensors.kind(one) > Kind.OTHER
        and isinstance(other, ast.Constant)
        and isinstance(other.value, (int, float))
        and not isinstance(other.value, bool)
        for one, other in sides
    )
