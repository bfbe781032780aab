"""CL613: a fully connected layer that is applied to a parameter, legacy program."""

from __future__ import annotations

from dataclasses import replace

from compatload.artifact.model import Operator
from compatload.faults.graph import FIRST, SECOND, Graph, operand
from compatload.faults.model import (
    LEGACY_PREDICTOR,
    Action,
    Alone,
    Evidence,
    OperatorPattern,
    Rule,
)
from compatload.faults.onednn import PRODUCTS, is_bias


def _is_of_parameter(product: Operator, graph: Graph) -> bool:
    """Whether it is a layer's, and what the layer is applied to is stored as it is."""
    if not (graph.is_stored(operand(product, FIRST)) and graph.is_stored(operand(product, SECOND))):
        return False
    added = graph.sole_user(product)
    return added is not None and is_bias(added, graph)


RULE = Rule(
    id="CL613",
    title="a fully connected layer that is applied to a parameter, legacy program",
    when=(
        replace(
            LEGACY_PREDICTOR,
            operators=(OperatorPattern(PRODUCTS | {"mul"}, where=_is_of_parameter),),
        ),
    ),
    action=Action.DELETE_PASSES,
    explanation=(
        "The pass looks for layers one behind the other, and asks what made the operand of each. "
        "Nothing made a parameter: the process dies (SIGSEGV). Projections of learned queries and "
        "of positions are such layers."
    ),
    without="crash",
    evidence=(
        Evidence("measured", "linear(embedding.weight): SIGSEGV, saved by 2.6.2, 2.6.2 and 3.3.1"),
        Evidence("measured", "linear(embedding.weight * 2), or without the pass: right"),
        Evidence("measured", "DeBERTa's positions (matrix.blind), 2.6.2 and 3.3.1"),
    ),
    parameters=("repeated_fc_relu_fuse_pass",),
    alone=(Alone(471),),
)
