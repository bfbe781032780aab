"""CL290: layer norm or prelu of more than five axes, oneDNN, legacy program."""

from __future__ import annotations

from dataclasses import replace

from compatload.artifact.model import Operator
from compatload.faults.graph import FIRST, Graph, operand
from compatload.faults.model import Action, Alone, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import LEGACY_ON_CPU

_MOST = 5


def _has_many(operator: Operator, graph: Graph) -> bool:
    return len(graph.shape(operand(operator, FIRST)) or ()) > _MOST


def _is_of_many(operator: Operator, graph: Graph) -> bool:
    """Whether it is of that many, and over the last alone: those that a norm is over become one."""
    first = operator.attributes.get("begin_norm_axis")
    return isinstance(first, int) and first >= _MOST and _has_many(operator, graph)


OF_MANY = (
    OperatorPattern(frozenset({"layer_norm"}), where=_is_of_many),
    OperatorPattern(frozenset({"prelu"}), where=_has_many),
)

RULE = Rule(
    id="CL290",
    title="layer norm or prelu of more than five axes, oneDNN, legacy program",
    when=(replace(LEGACY_ON_CPU, operators=OF_MANY),),
    action=Action.WITHOUT_ONEDNN,
    explanation=(
        "oneDNN has a layer normalisation and a prelu for five axes at most: `could not create a "
        "primitive descriptor`. It is left out of the list that oneDNN may take."
    ),
    without="error",
    evidence=(
        Evidence("measured", "layer_norm of [B, 1, 1, 2, 3, 4]: 2.6.2, 3.0.0 and 3.3.1"),
        Evidence("measured", "prelu of six axes: the same"),
    ),
    alone=(Alone(460),),
)
