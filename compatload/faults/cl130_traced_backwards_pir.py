"""CL130: a trace whose first axis is the later one, PIR program between 3.0 and 3.1."""

from __future__ import annotations

from dataclasses import replace

from compatload.artifact.model import Operator
from compatload.faults.cl126_rounded_halves_pir import AWAY_FROM_ZERO, NEWER_ON_3_0
from compatload.faults.cl129_traced_backwards import TRACE, is_backwards
from compatload.faults.graph import Graph
from compatload.faults.model import PIR, Action, Alone, Condition, Evidence, OperatorPattern, Rule

# Files of this version, which are those of 3.0, mean the earlier axis by rows.
EARLIER_IS_FIRST = AWAY_FROM_ZERO


def _is_older(operator: Operator, graph: Graph) -> bool:
    older = (graph.artifact.pir_version or 0) <= EARLIER_IS_FIRST
    return older and is_backwards(operator, graph)


_ON_3_0 = replace(NEWER_ON_3_0, operators=(OperatorPattern(TRACE, where=is_backwards),))

RULE = Rule(
    id="CL130",
    title="a trace whose first axis is the later one, PIR program between 3.0 and 3.1",
    when=(
        Condition(
            paddle=">=3.1", formats=PIR, operators=(OperatorPattern(TRACE, where=_is_older),)
        ),
    ),
    action=Action.CONVERT,
    explanation=(
        "As CL129, for PIR programs that 3.0 saved. What later releases saved keeps its diagonal "
        "on 3.0 in the same way, where CL104 rewrites it."
    ),
    without="wrong",
    evidence=(
        Evidence("measured", "trace(x, 1, 1, 0), saved by 3.0.0: 39 for 46 on 3.1.0, 3.3.1"),
    ),
    alone=(Alone(542), Alone(671, when=_ON_3_0)),
)
