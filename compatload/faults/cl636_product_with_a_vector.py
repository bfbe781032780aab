"""CL636: a product with a vector, times a number, and an addition, oneDNN, PIR program."""

from __future__ import annotations

from dataclasses import replace

from compatload.artifact.model import Operator
from compatload.faults.graph import SECOND, Graph, bare_name, operand
from compatload.faults.model import Action, Alone, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import ADDITIONS, LEGACY_ON_CPU, PIR_ON_CPU

_PRODUCTS = frozenset({"matmul", "matmul_v2"})


def _is_scaled(product: Operator, graph: Graph) -> bool:
    """By a stored vector, then a scale, and something is added."""
    vector, scaled = operand(product, SECOND), graph.sole_user(product)
    if scaled is None or bare_name(scaled) != "scale" or not graph.is_stored(vector):
        return False
    added = graph.sole_user(scaled)
    is_vector = len(graph.shape(vector) or (0, 0)) == 1
    return is_vector and added is not None and bare_name(added) in ADDITIONS


def _scaled(graph: Graph, release: str) -> tuple[Operator, ...]:
    return tuple(one for one in graph.named(_PRODUCTS) if _is_scaled(one, graph))


RULE = Rule(
    id="CL636",
    title="a product with a vector, times a number, and an addition, oneDNN, PIR program",
    when=(replace(PIR_ON_CPU, operators=(OperatorPattern(_PRODUCTS, where=_is_scaled),)),),
    action=Action.DELETE_PASSES,
    explanation=(
        "The pass that multiplies the stored vector by the number leaves a product of which the "
        "next pass takes in the addition as if it were of a matrix: the first of what is added "
        "goes to every row, without an error, or the result has another shape. The first pass is "
        "left out."
    ),
    without="wrong",
    evidence=(
        Evidence("measured", "x @ v * 0.3 + z of [3, 4], [4], [3]: 1.1 on 3.0.0, 3.2.2 and 3.3.1"),
        Evidence("measured", "without the number; scaled before; v of [4, 1]; an input v: right"),
    ),
    parameters=("matmul_scale_fuse_pass",),
    # Of legacy programs CL220 leaves that pass out, whatever the product is of.
    alone=(
        Alone(716, "wrong", sees=_scaled),
        Alone(717, "wrong", when=LEGACY_ON_CPU, sees=_scaled),
    ),
)
