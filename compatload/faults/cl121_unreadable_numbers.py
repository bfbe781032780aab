"""CL121: NaN as Paddle writes it and does not read it, PIR program."""

from __future__ import annotations

import math

from compatload.artifact.model import Operator
from compatload.faults.bounds import number
from compatload.faults.graph import Graph, result
from compatload.faults.model import PIR, Action, Alone, Condition, Evidence, Rule

_UNREADABLE = b'"VD":"NaN"'


def _written(graph: Graph, release: str) -> tuple[Operator, ...]:
    """The constants of a file that holds such a number; which of them does not matter."""
    if _UNREADABLE not in graph.artifact.program_bytes:
        return ()
    return graph.named(frozenset({"full", "full_like", "assign_value"})) or graph.operators[:1]


def _written_in_a_branch(graph: Graph, release: str) -> tuple[Operator, ...]:
    return tuple(
        one
        for one in _written(graph, release)
        if one.block and math.isnan(number(graph, result(one)) or 0.0)
    )


_PIR_IN_3 = Condition(paddle=">=3.0", formats=PIR)

RULE = Rule(
    id="CL121",
    title="NaN as Paddle writes it and does not read it, PIR program",
    action=Action.REPAIR,
    explanation=(
        "A number that is NaN is written as `NaN`, and read as `NAN` only: the release that "
        "saved the model does not load it (`key 'D' not found`), and where it stands in a branch "
        "the process may die."
    ),
    without="error",
    evidence=(
        Evidence("measured", "paddle.full([6], nan) saved and loaded by 3.3.1: every loader"),
        Evidence("measured", "the same in a branch: abort in the predictor"),
    ),
    module="compatload.programs.unreadable_numbers",
    alone=(
        Alone(334, "crash", _PIR_IN_3, _written_in_a_branch),
        Alone(335, when=_PIR_IN_3, sees=_written),
    ),
)
