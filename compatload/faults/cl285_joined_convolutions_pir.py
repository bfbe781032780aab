"""CL285: convolutions that are joined and then activated, oneDNN, PIR."""

from __future__ import annotations

from dataclasses import replace

from compatload.artifact.model import Operator
from compatload.faults.cl281_joined_convolutions import CONCAT, are_taken_in, is_activated
from compatload.faults.graph import Graph
from compatload.faults.model import Action, Alone, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import PIR_ON_CPU


def _unreadable(graph: Graph, release: str) -> tuple[Operator, ...]:
    """Those whose convolutions have all taken something in, such as a bias."""
    found = (one for one in graph.named(CONCAT) if is_activated(one, graph))
    return tuple(one for one in found if are_taken_in(one, graph))


RULE = Rule(
    id="CL285",
    title="convolutions that are joined and then activated, oneDNN, PIR program",
    when=(replace(PIR_ON_CPU, operators=(OperatorPattern(CONCAT, where=is_activated),)),),
    action=Action.DELETE_PASSES,
    explanation=(
        "The pass gives the activation after a concatenation to each of the convolutions before "
        "it, in the place of one that they have. Where they have a bias it looks for that under "
        "a name that nothing has: `The drr attr [fuse_activation] is not found in the map`. "
        "SqueezeNet's fire modules that activate at their end are such."
    ),
    without="error",
    evidence=(
        Evidence("measured", "relu(concat([a(x), b(x)])), with biases: 3.0.0 and 3.3.1"),
        Evidence("measured", "sigmoid(concat([relu(a(x)), relu(b(x))])): the same"),
        Evidence("measured", "without biases: right"),
    ),
    parameters=("conv_concat_activation_onednn_fuse_pass",),
    alone=(Alone(454, sees=_unreadable),),
)
