"""CL617: product of two vectors, oneDNN."""

from __future__ import annotations

from dataclasses import replace

from compatload.artifact.model import Operator
from compatload.faults.graph import FIRST, SECOND, Graph, bare_name, operand
from compatload.faults.model import Action, Alone, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import (
    FUSED_ACTIVATIONS,
    IN_ONEDNN,
    LEGACY_ON_CPU,
    PIR_ON_CPU,
    PRODUCTS,
)

_JOINING = frozenset({"concat", "stack"})
# What gives its result the axes of its operand; lists of PIR programs.
_COMPUTING = FUSED_ACTIVATIONS | {"combine", "scale"}
_OUTPUT = frozenset({"fetch"})


def _is_of_vectors(product: Operator, graph: Graph) -> bool:
    shapes = [graph.shape(operand(product, slots)) for slots in (FIRST, SECOND)]
    return graph.dtype(operand(product, FIRST)) in IN_ONEDNN and all(
        shape is not None and len(shape) == 1 for shape in shapes
    )


def _joined(graph: Graph, release: str) -> tuple[Operator, ...]:
    """Those that stand beside others, or what is computed of nothing else does."""
    products = (one for one in graph.named(PRODUCTS) if _is_of_vectors(one, graph))
    return tuple(one for one in products if _leads_to(_JOINING, one, graph))


def _shown(graph: Graph, release: str) -> tuple[Operator, ...]:
    """Those whose axis is an output's: of what is computed of them."""
    products = (one for one in graph.named(PRODUCTS) if _is_of_vectors(one, graph))
    return tuple(
        one
        for one in products
        if any(_leads_to(_OUTPUT, user, graph) for user in graph.users_of(one) if _computes(user))
    )


def _leads_to(names: frozenset[str], maker: Operator, graph: Graph) -> bool:
    return graph.leads(maker, lambda user: bare_name(user) in names, _computes)


def _computes(user: Operator) -> bool:
    return bare_name(user) in _COMPUTING


_VECTORS = (OperatorPattern(PRODUCTS, where=_is_of_vectors),)

RULE = Rule(
    id="CL617",
    title="product of two vectors, oneDNN",
    when=(
        replace(LEGACY_ON_CPU, operators=_VECTORS),
        replace(PIR_ON_CPU, operators=_VECTORS),
    ),
    action=Action.REWRITE,
    explanation=(
        "oneDNN describes no tensor without dimensions: of `x[0] @ x[1]` it makes a matrix of one "
        "element. What is computed of it has an axis too many, and is refused beside others. The "
        "vectors are multiplied and summed, which oneDNN does."
    ),
    without="wrong",
    evidence=(
        Evidence("measured", "relu6(a @ b), (a @ b) * 2 + 1 of shape [1]: 2.6.2, 3.0.0 and 3.3.1"),
        Evidence("measured", "stack([a @ b, a @ c]): an error; dot, a matrix by a vector: right"),
    ),
    module="compatload.programs.rewritings.multiplied_and_summed",
    alone=(Alone(662, "error", sees=_joined), Alone(663, sees=_shown)),
)
