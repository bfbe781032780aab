"""CL154: a loop that begins with a parameter, PIR program."""

from __future__ import annotations

from compatload.artifact.model import Operator
from compatload.faults.graph import Graph
from compatload.faults.model import (
    PIR,
    PREDICTOR,
    PROGRAM,
    Action,
    Alone,
    Condition,
    Evidence,
    Rule,
)

LOOP = "pd_op.while"


def of_parameters(graph: Graph, release: str = "") -> tuple[Operator, ...]:
    """Loops that carry, to begin with, a parameter as it is stored."""
    return tuple(
        one
        for one in graph.operators
        if one.name == LOOP
        and any(graph.is_stored(value) for values in one.inputs.values() for value in values)
    )


RULE = Rule(
    id="CL154",
    title="a loop that begins with a parameter, PIR program",
    action=Action.REPAIR,
    explanation=(
        "`h = self.start`, then `while …: h = f(h)`: the first round frees what it was given, "
        "which is the parameter itself. A layer hands it over anew; for programs and predictors "
        "the second run fails (`Tensor holds no memory`). The loop begins with a copy."
    ),
    without="error",
    evidence=(
        Evidence("measured", "a bias that a loop changes, 3.0.0 and 3.3.1: the second run fails"),
        Evidence("measured", "bias * 1, a reshape of it, an input, or a legacy program: right"),
    ),
    module="compatload.programs.copied_parameters",
    alone=(
        Alone(
            655,
            when=Condition(paddle=">=3.0", apis=PROGRAM | PREDICTOR, formats=PIR),
            sees=of_parameters,
        ),
    ),
)
