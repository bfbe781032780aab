"""CL606: a split whose section of the rest is not the last one, oneDNN."""

from __future__ import annotations

from dataclasses import replace

from compatload.artifact.model import Operator
from compatload.faults.graph import SECOND, Graph, operand
from compatload.faults.model import Action, Alone, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import LEGACY_ON_CPU

_REST = -1


def rest_is_not_last(split: Operator, graph: Graph) -> bool:
    told = split.attributes.get("sections")
    if told is None:
        maker = graph.producer(operand(split, SECOND) or "")
        told = None if maker is None else maker.attributes.get("value")
    return isinstance(told, (list, tuple)) and _REST in told[:-1]


_SPLITS = frozenset({"split"})

RULE = Rule(
    id="CL606",
    title="a split whose section of the rest is not the last one, oneDNN, legacy program",
    when=(replace(LEGACY_ON_CPU, operators=(OperatorPattern(_SPLITS, where=rest_is_not_last),)),),
    action=Action.WITHOUT_ONEDNN,
    explanation=(
        "A section of -1 takes what the others leave. oneDNN's kernel counts it as -1 where it "
        "begins the next section: `split(x, [2, -1, 3])` gives a last part that begins too early. "
        "The operator is left out of the list that oneDNN may take."
    ),
    without="wrong",
    evidence=(
        Evidence("measured", "split([2, -1, 3]) of seven: 2.45, predictors of 2.6.2 and 3.3.1"),
        Evidence("measured", "split([1, -1]), and layers: right"),
    ),
    alone=(Alone(648),),
)
