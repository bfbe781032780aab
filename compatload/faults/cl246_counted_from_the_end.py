"""CL246: an order of axes that counts from the end, oneDNN, legacy program."""

from __future__ import annotations

from dataclasses import replace

from compatload.artifact.model import Operator
from compatload.faults.graph import Graph
from compatload.faults.model import Action, Alone, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import LEGACY_ON_CPU

_TRANSPOSING = frozenset({"transpose", "transpose2", "fused_transpose"})


def counts_from_the_end(operator: Operator, graph: Graph) -> bool:
    """Whether one of its axes is negative."""
    order = operator.attributes.get("perm", operator.attributes.get("axis"))
    return isinstance(order, tuple) and any(isinstance(axis, int) and axis < 0 for axis in order)


RULE = Rule(
    id="CL246",
    title="an order of axes that counts from the end, oneDNN, legacy program",
    when=(
        replace(
            LEGACY_ON_CPU,
            operators=(OperatorPattern(_TRANSPOSING, where=counts_from_the_end),),
        ),
    ),
    action=Action.WITHOUT_ONEDNN,
    explanation=(
        "paddle.transpose takes negative axes, and its own kernel counts them from the end. "
        "oneDNN's writes strides at that negative place: the memory before them is lost."
    ),
    without="crash",
    evidence=(
        Evidence("measured", "transpose(x, [1, 0, -1]), six releases: double free or corruption"),
    ),
    alone=(Alone(446),),
)
