"""CL214: layer normalisation over more than the last axis, oneDNN, PIR program."""

from __future__ import annotations

from dataclasses import replace

from compatload.artifact.model import Operator
from compatload.faults.graph import FIRST, Graph, operand
from compatload.faults.model import Action, Alone, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import PIR_ON_CPU, PLACEMENT_PASS

_LAYER_NORM = frozenset({"layer_norm"})
_AXIS = "begin_norm_axis"


def _is_not_last(operator: Operator, graph: Graph) -> bool:
    """Whether the axis is another than the last; the program may not say how many there are."""
    axis = operator.attributes.get(_AXIS)
    shape = graph.shape(operand(operator, FIRST))
    if not isinstance(axis, int):
        return False
    return shape is None or axis % max(len(shape), 1) != len(shape) - 1


def _over_several_axes(graph: Graph, release: str) -> tuple[Operator, ...]:
    return tuple(
        one
        for one in graph.named(_LAYER_NORM)
        if (shape := graph.shape(operand(one, FIRST))) is not None
        and one.attributes.get(_AXIS) not in (len(shape) - 1, -1)
    )


RULE = Rule(
    id="CL214",
    title="layer normalisation over more than the last axis, oneDNN, PIR program",
    when=(replace(PIR_ON_CPU, operators=(OperatorPattern(_LAYER_NORM, where=_is_not_last),)),),
    action=Action.DELETE_PASSES,
    explanation=(
        "The oneDNN kernel knows the last axis only, and the pass for PIR programs does not "
        "ask; the one for legacy programs does."
    ),
    without="error",
    evidence=(Evidence("measured", "LayerNorm([6, 6]) and ([3, 6]), 3.0.0 and 3.3.1"),),
    parameters=PLACEMENT_PASS,
    alone=(Alone(423, sees=_over_several_axes),),
)
