"""CL164: gradients of views, legacy program."""

from __future__ import annotations

from compatload.artifact.model import Operator
from compatload.faults.graph import Graph
from compatload.faults.model import LEGACY, Action, Alone, Condition, Evidence, Rule

VIEWS = frozenset(
    {
        *("reshape2_grad", "squeeze2_grad", "unsqueeze2_grad", "flatten2_grad"),
        "flatten_contiguous_range_grad",
    }
)


def _without_shape(graph: Graph, release: str) -> tuple[Operator, ...]:
    """Those that read what nothing makes."""
    return tuple(
        one
        for one in graph.named(VIEWS)
        if any(graph.producer(value) is None for value in one.inputs.get("XShape", ()))
    )


RULE = Rule(
    id="CL164",
    title="gradients of views, legacy program",
    action=Action.REPAIR,
    explanation=(
        "A layer that calls `paddle.grad` in its forward has gradients of what it reshapes, "
        "squeezes, unsqueezes or flattens. Those of 2.6 read the shape from an output of the view "
        "that 2.6 itself leaves out of its files: `Invalid dimension to be accessed … received "
        "dimension is -2`, in 2.6 as well. The translation to PIR looks that output up, there or "
        "not. Such a gradient becomes a reshape to the shape of what was viewed."
    ),
    without="error",
    evidence=(
        Evidence("measured", "unsqueeze, squeeze, flatten saved and loaded by 2.6.2: an error"),
        Evidence("measured", "the same and reshape, layers of 3.0.0 and 3.3.1: a KeyError"),
    ),
    module="compatload.programs.legacy_repairs.shapes_of_gradients",
    alone=(Alone(367, when=Condition(formats=LEGACY), sees=_without_shape),),
)
