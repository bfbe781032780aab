"""CL145: broadcast_tensors of one tensor, legacy program."""

from __future__ import annotations

from compatload.artifact.model import Operator
from compatload.faults.graph import Graph
from compatload.faults.model import LEGACY, Action, Alone, Condition, Evidence, Rule

_BECOMES = {"broadcast_tensors": "assign"}


def _of_one(graph: Graph, release: str) -> tuple[Operator, ...]:
    found = graph.named(frozenset(_BECOMES))
    return tuple(one for one in found if len(one.inputs.get("X", ())) == 1)


RULE = Rule(
    id="CL145",
    title="broadcast_tensors of one tensor, legacy program",
    action=Action.REPAIR,
    explanation=(
        "Releases before 3.1 have it for two tensors at least: `Expected at least 2 input "
        "tensors`. One alone is copied. In PIR programs that is done where they are converted."
    ),
    without="error",
    evidence=(
        Evidence("measured", "broadcast_tensors([x]) saved by 3.1.1 as a legacy program: 3.0.0"),
        Evidence("measured", "saved by 3.3.1 as a PIR program: 3.0.0; 3.1.1 and 3.2.2 are right"),
    ),
    sees=_of_one,
    becomes=_BECOMES,
    alone=(Alone(359, when=Condition(paddle="<3.1", formats=LEGACY), sees=_of_one),),
)
