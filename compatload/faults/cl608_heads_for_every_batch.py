"""CL608: heads that every batch is multiplied by, oneDNN."""

from __future__ import annotations

from dataclasses import replace

from compatload.artifact.model import Operator
from compatload.faults.graph import FIRST, SECOND, Graph, bare_name, operand
from compatload.faults.model import Action, Alone, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import LEGACY_ON_CPU, PIR_ON_CPU, PRODUCTS, RESHAPES, TRANSPOSITIONS

_BATCHES_OF_HEADS = 4  # axes; with fewer, oneDNN joins those in front


def _stretches_heads(product: Operator, graph: Graph) -> bool:
    """Whether an operand is reshaped, transposed and of fewer axes than the other one."""
    for slots, others in ((FIRST, SECOND), (SECOND, FIRST)):
        turned = graph.producer(operand(product, slots))
        if turned is None or bare_name(turned) not in TRANSPOSITIONS:
            continue
        shaped = graph.producer(operand(turned, FIRST))
        if shaped is None or bare_name(shaped) not in RESHAPES:
            continue
        own, other = (graph.shape(operand(product, one)) or () for one in (slots, others))
        if len(own) < len(other) and len(other) >= _BATCHES_OF_HEADS:
            return graph.sole_user(shaped) is turned and graph.sole_user(turned) is product
    return False


_PATTERNS = (OperatorPattern(PRODUCTS, where=_stretches_heads),)

RULE = Rule(
    id="CL608",
    title="heads that every batch is multiplied by, oneDNN",
    when=(replace(LEGACY_ON_CPU, operators=_PATTERNS), replace(PIR_ON_CPU, operators=_PATTERNS)),
    action=Action.DELETE_PASSES,
    explanation=(
        "A pass takes the reshape and the transpose before a matrix product into it. oneDNN is "
        "then given operands of different ranks, and refuses them (`dimensions are invalid`). "
        "Positions relative to each other, as in Transformer-XL, are such a product: `[batch, "
        "heads, length, size]` by `[heads, positions, size]`."
    ),
    without="error",
    evidence=(
        Evidence("measured", "matmul(q, r.reshape([-1, 4, 4]).transpose([1, 0, 2])), q of 4 axes"),
        Evidence("measured", "2.6.2, 3.0.0 and 3.3.1, both formats; as the first operand, too"),
        Evidence("measured", "r in an axis more, q of 3 axes, or r read twice: right"),
    ),
    parameters=(
        "reshape_transpose_matmul_fuse_pass",
        "reshape_transpose_matmul_mkldnn_fuse_pass",
        "reshape_transpose_matmul_onednn_fuse_pass",
    ),
    alone=(Alone(651),),
)
