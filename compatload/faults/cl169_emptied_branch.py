"""CL169: what a branch gives back without elements."""

from __future__ import annotations

from compatload.artifact.model import Operator
from compatload.faults.emptied import left_empty
from compatload.faults.graph import Graph
from compatload.faults.model import (
    LAYER,
    LEGACY,
    PIR,
    Action,
    Alone,
    Condition,
    Evidence,
    Rule,
)

_GIVING = frozenset({"if", "select_input"})


def _left_empty(graph: Graph, release: str) -> tuple[Operator, ...]:
    if not graph.has(_GIVING):
        return ()
    emptied = left_empty(graph.operators, graph.shape)
    return tuple(
        one
        for one in graph.named(_GIVING)
        for values in one.outputs.values()
        if not emptied.isdisjoint(values)
    )


RULE = Rule(
    id="CL169",
    title="what a branch gives back without elements",
    action=Action.REPAIR,
    explanation=(
        "From 3.1 on what a branch gives back loses its shape and its memory where it has no "
        "elements: of `if kept.shape[0] == 0: boxes = zeros([0, 4])` comes a tensor of shape [0], "
        "in silence, or `Tensor holds no memory` where it is computed with. The branches give it "
        "back with one place more along each axis whose size is not known, or 0, and behind the "
        "branch these are taken off."
    ),
    without="wrong",
    evidence=(
        Evidence("measured", "zeros([0, 4]) or b, an output: shape [0], 3.1.1, 3.2.2, 3.3.1"),
        Evidence("measured", "b[b > 99] or b, then y + 1: Tensor holds no memory, the same"),
        Evidence("measured", "saved by 2.6.2 and 3.0.0; all of them right on 3.0.0"),
        Evidence("measured", "what a loop hands on without elements keeps its shape: 3.3.1"),
    ),
    module="compatload.programs.emptied_results",
    alone=(
        Alone(
            687,
            when=Condition(paddle=">=3.1", apis=LAYER, formats=LEGACY),
            sees=_left_empty,
            by_data=True,
        ),
        Alone(
            688,
            when=Condition(paddle=">=3.1", formats=PIR),
            sees=_left_empty,
            by_data=True,
        ),
    ),
)
