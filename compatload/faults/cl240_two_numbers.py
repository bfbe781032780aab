"""CL240: fully connected layer times two numbers, oneDNN, PIR program."""

from __future__ import annotations

from dataclasses import replace

from compatload.artifact.model import Operator
from compatload.faults.graph import Graph, bare_name
from compatload.faults.model import Action, Alone, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import FUSED_ACTIVATIONS, PIR_ON_CPU, layers

_SCALE = frozenset({"scale"})


def _is_scaled_again(scaled: Operator, graph: Graph) -> bool:
    """Whether two numbers multiply, and nothing is added: with an addend nothing goes wrong."""
    return graph.factor(scaled) is not None and any(
        bare_name(user) == "scale" and graph.factor(user) is not None
        for user in graph.users_of(scaled)
    )


def _twice_scaled(graph: Graph, release: str) -> tuple[Operator, ...]:
    """The second of two factors behind a layer, or behind its activation."""
    found = []
    for _, last in layers(graph):
        first = graph.sole_user(last)
        if first is not None and bare_name(first) in FUSED_ACTIVATIONS:
            first = graph.sole_user(first)
        second = None if first is None else graph.sole_user(first)
        if first is None or second is None or graph.factor(second) is None:
            continue
        if graph.factor(first) not in (None, 1.0):
            found.append(second)
    return tuple(found)


RULE = Rule(
    id="CL240",
    title="fully connected layer times two numbers, oneDNN, PIR program",
    when=(
        replace(
            PIR_ON_CPU,
            operators=(OperatorPattern(_SCALE, where=_is_scaled_again),),
        ),
    ),
    action=Action.DELETE_PASSES,
    explanation=(
        "The pass takes the factor into the layer, and then the second one over it: of "
        "`linear(x) * 2 * 3` the 2 is lost, in silence. What 2.6 exports ends in a `scale` by 1 "
        "for every output, so that a translation of `linear(x) * 2` has two."
    ),
    without="wrong",
    evidence=(
        Evidence("measured", "linear(x) * 2 * 3, * 2 / 8, -(linear(x) * 2): 3.0.0 and 3.3.1"),
        Evidence("measured", "with relu or gelu before the numbers, too; with an addend: right"),
    ),
    parameters=("operator_scale_onednn_fuse_pass",),
    alone=(Alone(597, sees=_twice_scaled),),
)
