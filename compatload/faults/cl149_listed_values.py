"""CL149: a part of a list that a loop reads, legacy program."""

from __future__ import annotations

from compatload.artifact.model import Operator
from compatload.faults.graph import Graph
from compatload.faults.model import LAYER, LEGACY, Action, Alone, Condition, Evidence, Rule

# The slots of 2.6's operators that are lists, of one result, too.
LISTS: dict[str, frozenset[str]] = {
    "broadcast_tensors": frozenset({"Out"}),
    "distribute_fpn_proposals": frozenset({"MultiFpnRois", "MultiLevelRoIsNum"}),
    "meshgrid": frozenset({"Out"}),
    "rnn": frozenset({"State"}),
    "split": frozenset({"Out"}),
    "unbind": frozenset({"Out"}),
    "unstack": frozenset({"Y"}),
}
_LOOPS = frozenset({"while"})


def _read_by_loops(graph: Graph, release: str) -> tuple[Operator, ...]:
    read = {value for loop in graph.named(_LOOPS) for vs in loop.inputs.values() for value in vs}
    return tuple(
        one
        for one in graph.named(frozenset(LISTS))
        if any(not read.isdisjoint(one.outputs.get(slot, ())) for slot in LISTS[one.name])
    )


RULE = Rule(
    id="CL149",
    title="a part of a list that a loop reads, legacy program",
    action=Action.REPAIR,
    explanation=(
        "The translation to PIR gives a loop the list in the place of its part: `Type validation "
        "failed for the 0th input`. The part is copied in front of the loop."
    ),
    without="error",
    evidence=(
        Evidence("measured", "parts of split, unbind, unstack, in a loop, saved by 2.6.2: all 3.x"),
        Evidence("measured", "a list of one: chunk(x, 1), the state of a GRU: 3.3.0"),
        Evidence(
            "measured", "the same in a branch, and in predictors of the legacy program: right"
        ),
    ),
    module="compatload.programs.legacy_repairs.listed_values",
    alone=(
        Alone(
            365,
            when=Condition(paddle=">=3.0", apis=LAYER, formats=LEGACY),
            sees=_read_by_loops,
        ),
    ),
)
