"""CL262: a product that transposes a vector, oneDNN."""

from __future__ import annotations

from dataclasses import replace

from compatload.artifact.model import Operator
from compatload.faults.graph import FIRST, SECOND, Graph, operand
from compatload.faults.model import Action, Alone, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import IN_ONEDNN, LEGACY_ON_CPU, PIR_ON_CPU, PRODUCTS
from compatload.operators.products import transposes_first, transposes_second


def _turns_vector(product: Operator, graph: Graph) -> bool:
    return graph.dtype(operand(product, FIRST)) in IN_ONEDNN and any(
        len(graph.shape(operand(product, slots)) or ()) == 1 and transposes(product)
        for slots, transposes in ((FIRST, transposes_first), (SECOND, transposes_second))
    )


_TURNED = (OperatorPattern(PRODUCTS, where=_turns_vector),)

RULE = Rule(
    id="CL262",
    title="a product that transposes a vector, oneDNN",
    when=(
        replace(LEGACY_ON_CPU, operators=_TURNED),
        replace(PIR_ON_CPU, operators=_TURNED),
    ),
    action=Action.REWRITE,
    explanation=(
        "A vector is its own transpose, and Paddle's own kernel knows it. oneDNN is given a "
        "column in place of a row then, and makes no product of it. The flag is left out."
    ),
    without="error",
    evidence=(
        Evidence("measured", "matmul(v, w, transpose_x=True), and (m, v, transpose_y=True): 2.6.2"),
        Evidence("measured", "the same saved by 3.3.1: `std::exception` on 3.0.0 and 3.3.1"),
        Evidence("measured", "matmul(m, v, transpose_x=True): right, and layers and programs too"),
    ),
    module="compatload.programs.rewritings.unturned",
    alone=(Alone(467),),
)
