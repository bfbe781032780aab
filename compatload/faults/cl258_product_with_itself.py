"""CL258: product of a transposed value with itself, oneDNN, legacy program."""

from __future__ import annotations

from dataclasses import replace

from compatload.artifact.model import Operator
from compatload.faults.graph import FIRST, SECOND, Graph, bare_name, operand
from compatload.faults.model import Action, Alone, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import LEGACY_ON_CPU, PRODUCTS, RESHAPES, TRANSPOSITIONS


def _is_with_itself(product: Operator, graph: Graph) -> bool:
    value = operand(product, FIRST)
    transposed = graph.producer(value)
    if transposed is None or value != operand(product, SECOND):
        return False
    reshaped = graph.producer(operand(transposed, FIRST))
    return (
        bare_name(transposed) in TRANSPOSITIONS
        and reshaped is not None
        and bare_name(reshaped) in RESHAPES
    )


RULE = Rule(
    id="CL258",
    title="product of a transposed value with itself, oneDNN, legacy program",
    when=(replace(LEGACY_ON_CPU, operators=(OperatorPattern(PRODUCTS, where=_is_with_itself),)),),
    action=Action.DELETE_PASSES,
    explanation=(
        "The pass takes reshape and transpose into the product, and where both operands are their "
        "result one of them is lost (`The variable Y is not found`)."
    ),
    without="error",
    evidence=(
        Evidence("measured", "matmul(q, q, transpose_y=True), q of heads: 2.6.2, 3.0.0, 3.3.1"),
        Evidence("measured", "of two values that are computed alike, or a PIR program: right"),
    ),
    parameters=(
        "reshape_transpose_matmul_mkldnn_fuse_pass",
        "reshape_transpose_matmul_onednn_fuse_pass",
    ),
    alone=(Alone(445),),
)
