"""CL126: halves that 3.1 rounds otherwise than 3.0, older PIR program."""

from __future__ import annotations

from dataclasses import replace

from compatload.artifact.model import Operator
from compatload.faults.graph import Graph
from compatload.faults.model import PIR, Action, Alone, Condition, Evidence, OperatorPattern, Rule

# Files of this version take halves away from zero as 2.6 does, later ones to even numbers.
AWAY_FROM_ZERO = 1
ROUNDINGS = frozenset({"pd_op.round", "pd_op.round_"})


def _is_older(operator: Operator, graph: Graph) -> bool:
    return (graph.artifact.pir_version or 0) <= AWAY_FROM_ZERO


# What later releases saved, on 3.0.
NEWER_ON_3_0 = Condition(paddle="==3.0.*", formats=PIR, pir_newer=True)
_ROUND = frozenset({"round", "round_"})
_ROUNDED = (OperatorPattern(_ROUND, where=_is_older),)
_ON_3_0 = replace(NEWER_ON_3_0, operators=(OperatorPattern(_ROUND),))

RULE = Rule(
    id="CL126",
    title="halves that 3.1 rounds otherwise than 3.0, PIR program of the other",
    when=(Condition(paddle=">=3.1", formats=PIR, operators=_ROUNDED),),
    action=Action.CONVERT,
    explanation=(
        "As CL122, for PIR programs that 3.0 saved: the program is rewritten so that halves go "
        "away from zero as they did there. What later releases saved keeps its even numbers on "
        "3.0 in the same way, where CL104 rewrites it."
    ),
    without="wrong",
    evidence=(Evidence("measured", "round of halves, saved by 3.0.0: by 1 on 3.1.0 to 3.3.1"),),
    alone=(Alone(536, by_data=True), Alone(670, when=_ON_3_0, by_data=True)),
)
