"""CL111: first-version operators."""

from __future__ import annotations

from compatload.artifact.model import Operator
from compatload.faults.graph import Graph
from compatload.faults.model import LEGACY, Action, Alone, Condition, Evidence, Rule
from compatload.operators.registry import legacy_operators


def _unknown(graph: Graph, release: str) -> tuple[Operator, ...]:
    known = legacy_operators(release)
    return tuple(one for one in graph.operators if one.name not in known)


RULE = Rule(
    id="CL111",
    title="first-version operators",
    action=Action.REPAIR,
    explanation=(
        "The translation to PIR has no nearest_interp, reshape, squeeze, lookup_table and the "
        "like. They become their second version, with the first one's results."
    ),
    without="error",
    evidence=(
        Evidence("measured", "1.x and 2.0 detectors, all 3.x: `should have corresponding OpInfo`"),
    ),
    module="compatload.programs.legacy_repairs.first_versions",
    alone=(Alone(340, when=Condition(formats=LEGACY), sees=_unknown),),
)
