"""CL401, CL402: what the branches of an ``if`` on a Tensor leave in a name."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from compatload.checking.source_rules.to_static.converted import Converted
from compatload.checking.source_rules.to_static.sighting import Sighting
from compatload.checking.source_rules.to_static.tensors import Kind, Tensors

# Methods that change the number of dimensions of what they are called on.
_RANK_METHODS = frozenset({"squeeze", "unsqueeze", "flatten"})


def sightings(function: Converted, tensors: Tensors) -> Iterator[Sighting]:
    for branch in tensors.branches:
        then, other = _assigned(branch.body), _assigned(branch.orelse)
        for name in then.keys() & other.keys():
            pair = (then[name], other[name])
            if _is_bool_and_tensor(pair, tensors):
                yield Sighting("CL401", branch)
            elif _ranks_differ(pair):
                yield Sighting("CL402", branch)


def _assigned(statements: list[ast.stmt]) -> dict[str, ast.expr]:
    """Name → value of the last plain assignment directly in a branch."""
    return {
        target.id: statement.value
        for statement in statements
        if isinstance(statement, ast.Assign)
        for target in statement.targets
        if isinstance(target, ast.Name)
    }


def _is_bool_and_tensor(pair: tuple[ast.expr, ast.expr], tensors: Tensors) -> bool:
    for one, other in (pair, pair[::-1]):
        is_bool = isinstance(one, ast.Constant) and isinstance(one.value, bool)
        if is_bool and tensors.kind(other) > Kind.OTHER:
            return True
    return False


def _ranks_differ(pair: tuple[ast.expr, ast.expr]) -> bool:
    """One value is the other with a dimension taken out, put in, or indexed away."""
    for one, other in (pair, pair[::-1]):
        if isinstance(other, ast.Name) and _base_with_other_rank(one) == other.id:
            return True
    return False


def _base_with_other_rank(value: ast.expr) -> str | None:
    base: ast.expr | None = None
    if isinstance(value, ast.Subscript) and isinstance(value.slice, ast.Constant):
        base = value.value if isinstance(value.slice.value, int) else None
    elif (
        isinstance(value, ast.Call)
        and isinstance(value.func, ast.Attribute)
        and value.func.attr in _RANK_METHODS
    ):
        base = value.func.value
    return base.id if isinstance(base, ast.Name) else None
