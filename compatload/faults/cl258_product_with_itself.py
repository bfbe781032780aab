"""CL258: product of a value with itself, transposed, oneDNN, legacy program."""

from __future__ import annotations

from dataclasses import replace

from compatload.artifact.model import Operator
from compatload.faults.graph import FIRST, SECOND, Graph, bare_name, operand
from compatload.faults.model import Action, Alone, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import LEGACY_ON_CPU, PRODUCTS, RESHAPES, TRANSPOSITIONS


def _is_with_itself(product: Operator, graph: Graph) -> bool:
    """Whether both operands are one value that was reshaped and transposed, or one is that and the
    other what was transposed, which nothing else reads."""
    both = operand(product, FIRST), operand(product, SECOND)
    return any(_is_of_one(product, one, other, graph) for one, other in (both, both[::-1]))


def _is_of_one(product: Operator, one: str | None, other: str | None, graph: Graph) -> bool:
    transposed = graph.producer(one)
    if transposed is None or bare_name(transposed) not in TRANSPOSITIONS:
        return False
    value = operand(transposed, FIRST)
    reshaped = graph.producer(value)
    if reshaped is None or bare_name(reshaped) not in RESHAPES:
        return False
    if one == other:
        return True
    return other == value and all(
        user.index in (transposed.index, product.index) for user in graph.users_of(reshaped)
    )


RULE = Rule(
    id="CL258",
    title="product of a value with itself, transposed, oneDNN, legacy program",
    when=(replace(LEGACY_ON_CPU, operators=(OperatorPattern(PRODUCTS, where=_is_with_itself),)),),
    action=Action.DELETE_PASSES,
    explanation=(
        "The pass takes reshape and transpose into the product, and where both operands are their "
        "result one of them is lost (`The variable Y is not found`). So is the reshaped value "
        "itself where it is the other operand, as in a Gram matrix, `matmul(f, f.transpose([0, 2, "
        "1]))` of `f = x.reshape([0, c, -1])`, unless something else reads it."
    ),
    without="error",
    evidence=(
        Evidence("measured", "matmul(q, q, transpose_y=True), q of heads: 2.6.2, 3.0.0, 3.3.1"),
        Evidence("measured", "Gram matrices of 3 and 4 axes, either way round: 2.6.2 to 3.3.1"),
        Evidence("measured", "of two values that are computed alike, or a PIR program: right"),
    ),
    parameters=(
        "reshape_transpose_matmul_mkldnn_fuse_pass",
        "reshape_transpose_matmul_onednn_fuse_pass",
    ),
    alone=(Alone(445),),
)
