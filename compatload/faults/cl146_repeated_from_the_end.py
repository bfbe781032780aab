"""CL146: repeat_interleave by an axis that counts from the end, legacy program."""

from __future__ import annotations

from compatload.artifact.model import Operator
from compatload.faults.graph import Graph
from compatload.faults.model import LEGACY, PREDICTOR, Action, Alone, Condition, Evidence, Rule


def _from_the_end(graph: Graph, release: str) -> tuple[Operator, ...]:
    found = []
    for one in graph.named(frozenset({"repeat_interleave"})):
        axis = one.attributes.get("dim")
        if isinstance(axis, int) and axis < 0:
            found.append(one)
    return tuple(found)


RULE = Rule(
    id="CL146",
    title="repeat_interleave by an axis that counts from the end, legacy program",
    action=Action.REPAIR,
    explanation=(
        "Its kernels take such an axis as it is: a predictor of 3.3 that runs the legacy program "
        "does not come back, and 2.6 writes over memory that is not its own, so that a model is "
        "right, hangs or dies as chance has it. It is counted from the start."
    ),
    without="crash",
    evidence=(
        Evidence("measured", "repeat_interleave(x, 2, -2) saved by 2.6.2: 3.3.0 and 3.3.1 hang"),
        Evidence("measured", "the same, 300 runs of a layer of 2.6.2 at 7 sizes: it hangs"),
        Evidence("measured", "the same by the axis 1: right"),
    ),
    module="compatload.programs.legacy_repairs.repeated_from_the_end",
    alone=(
        Alone(
            361,
            when=Condition(paddle=">=3.3", apis=PREDICTOR, formats=LEGACY),
            sees=_from_the_end,
        ),
    ),
)
