"""CL208: nearest interpolation by anything but a whole factor, oneDNN, legacy program."""

from __future__ import annotations

from dataclasses import replace

from compatload.artifact.model import Operator
from compatload.faults.cl207_nearest_not_whole_pir import may_not_be_whole, not_whole
from compatload.faults.graph import Graph
from compatload.faults.model import Action, Alone, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import LEGACY_ON_CPU

_SECOND_VERSION = frozenset({"nearest_interp_v2"})
_NEAREST = _SECOND_VERSION | {"nearest_interp"}


def _seen(graph: Graph, release: str) -> tuple[Operator, ...]:
    return not_whole(graph.named(_SECOND_VERSION), graph)


RULE = Rule(
    id="CL208",
    title="nearest interpolation by anything but a whole factor, oneDNN, legacy program",
    when=(replace(LEGACY_ON_CPU, operators=(OperatorPattern(_NEAREST, where=may_not_be_whole),)),),
    action=Action.WITHOUT_ONEDNN,
    explanation=(
        "As CL207, in the passes for legacy programs, on every release from 2.6.2 to 3.3.1. "
        "The operator is left out of the list that oneDNN may take."
    ),
    without="wrong",
    evidence=(
        Evidence("measured", "2.6.2 itself, and 2.6.2 → 3.0.0, 3.2.2, 3.3.1"),
        Evidence("measured", "3.0.0 → 2.6.2, converted: 8×8 to 7×9 differs by 3.66"),
    ),
    alone=(Alone(550, sees=_seen),),
)
