"""CL154: a loop that begins with a parameter."""

from __future__ import annotations

from compatload.artifact.model import Artifact, Operator
from compatload.faults.graph import Graph
from compatload.faults.model import (
    LEGACY,
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
_LEGACY_LOOP = "while"


def of_parameters(graph: Graph, release: str = "") -> tuple[Operator, ...]:
    """Loops that carry, to begin with, a parameter as it is stored."""
    return tuple(
        one
        for one in graph.operators
        if one.name == LOOP
        and any(graph.is_stored(value) for values in one.inputs.values() for value in values)
    )


def begun_by_loops(artifact: Artifact) -> tuple[str, ...]:
    """Parameters that loops of a legacy program change; a buffer may be meant to change."""
    loops = [
        one for one in artifact.program.operators if one.name == _LEGACY_LOOP and not one.block
    ]
    trained = artifact.trainable_parameters if loops else None
    carried = (value for one in loops for value in one.outputs.get("Out", ()))
    return tuple(value for value in carried if value in (trained or ()))


def _of_trained(graph: Graph, release: str) -> tuple[Operator, ...]:
    changed = frozenset(begun_by_loops(graph.artifact))
    loops = graph.named(frozenset({_LEGACY_LOOP})) if changed else ()
    return tuple(one for one in loops if not changed.isdisjoint(one.outputs.get("Out", ())))


RULE = Rule(
    id="CL154",
    title="a loop that begins with a parameter",
    action=Action.REPAIR,
    explanation=(
        "`h = self.start`, then `while …: h = f(h)`: the first round frees what it was given, "
        "which is the parameter itself. A layer hands it over anew; for programs and predictors "
        "the second run fails (`Tensor holds no memory`). In legacy programs the loop writes into "
        "the parameter, and the second run begins where the first one ended, without an error, "
        "in 2.6 itself. The loop begins with a copy."
    ),
    without="wrong",
    evidence=(
        Evidence("measured", "a bias that a loop changes, 3.0.0 and 3.3.1: the second run fails"),
        Evidence("measured", "the same saved by 2.6.2: off by 0.38, in every way, every release"),
        Evidence("measured", "bias * 1, a reshape of it, or an input: right"),
    ),
    module="compatload.programs.legacy_repairs.loops_of_parameters",
    alone=(
        Alone(657, when=Condition(formats=LEGACY), sees=_of_trained),
        Alone(
            655,
            "error",
            when=Condition(paddle=">=3.0", apis=PROGRAM | PREDICTOR, formats=PIR),
            sees=of_parameters,
        ),
    ),
)
