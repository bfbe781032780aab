"""CL265: add_n of numbers without dimensions, oneDNN."""

from __future__ import annotations

from dataclasses import replace

from compatload.artifact.model import Operator
from compatload.faults.graph import Graph, result
from compatload.faults.model import Action, Alone, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import IN_ONEDNN, LEGACY_ON_CPU, PIR_ON_CPU

_ADD_N = frozenset({"add_n", "sum"})


def _yields_number(operator: Operator, graph: Graph) -> bool:
    # PIR's `sum` is over axes, and takes another operand for them.
    if operator.name.endswith("pd_op.sum"):
        return False
    total = result(operator)
    return graph.shape(total) == () and graph.dtype(total) in IN_ONEDNN


def _failing(graph: Graph, release: str) -> tuple[Operator, ...]:
    return tuple(one for one in graph.named(_ADD_N) if _yields_number(one, graph))


_OF_NUMBERS = (OperatorPattern(_ADD_N, where=_yields_number),)

RULE = Rule(
    id="CL265",
    title="add_n of numbers without dimensions, oneDNN",
    when=(
        replace(LEGACY_ON_CPU, operators=_OF_NUMBERS),
        replace(PIR_ON_CPU, operators=_OF_NUMBERS),
    ),
    action=Action.REWRITE,
    explanation=(
        "oneDNN describes no tensor without dimensions, and has no sum of them: `could not create "
        "a primitive descriptor for a sum primitive`, `std::exception` in PIR programs. The "
        "numbers are stacked, and what is stacked is summed, which oneDNN does."
    ),
    without="error",
    evidence=(
        Evidence("measured", "add_n([sin(y.sum()), cos(y.sum())]): 2.6.2, 3.0.0, 3.1.1 and 3.3.1"),
        Evidence("measured", "stack, add and 40 other operators on the same numbers: right"),
    ),
    module="compatload.programs.rewritings.stacked_numbers",
    alone=(Alone(634, sees=_failing),),
)
