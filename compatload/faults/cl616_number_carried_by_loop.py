"""CL616: a loop that begins with a filled number without dimensions, oneDNN, PIR program."""

from __future__ import annotations

from dataclasses import replace

from compatload.artifact.model import Operator
from compatload.faults.cl232_overwritten import runs_in_onednn
from compatload.faults.graph import Graph, result
from compatload.faults.model import Action, Alone, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import IN_ONEDNN, PIR_ON_CPU

_FULL = frozenset({"full"})


def _is_carried(filling: Operator, graph: Graph) -> bool:
    """Whether a loop begins, or goes on, with it."""
    number = result(filling)
    return (
        graph.shape(number) == ()
        and graph.dtype(number) in IN_ONEDNN
        and any(number in ends for ends in graph.carried.values())
    )


def _failing(graph: Graph, release: str) -> tuple[Operator, ...]:
    """Such numbers, if oneDNN reads one of those that a round gets."""
    numbers = tuple(one for one in graph.named(_FULL) if _is_carried(one, graph))
    given = (value for value in graph.carried if numbers and graph.shape(value) == ())
    users = (user for value in given for user in graph.users.get(value, ()))
    return numbers if any(runs_in_onednn(one, result(one), graph, release) for one in users) else ()


RULE = Rule(
    id="CL616",
    title="a loop that begins with a filled number without dimensions, oneDNN, PIR program",
    when=(replace(PIR_ON_CPU, operators=(OperatorPattern(_FULL, where=_is_carried),)),),
    action=Action.REWRITE,
    explanation=(
        "`total = paddle.zeros([])` before a loop that adds to it: oneDNN fills the number, and "
        "describes no tensor without dimensions. Other operators take it as it is; a loop hands "
        "the description on, and the first operator of oneDNN in it ends in `std::exception`. The "
        "number is filled in float64, which oneDNN has no kernels for, and cast."
    ),
    without="error",
    evidence=(
        Evidence(
            "measured",
            "`total + x[i].sum()`, `total * 2`, `exp`, `stack`, 42 loops: 3.0.0 and 3.3.1; from "
            "`zeros([1])`, `to_tensor(0.0)`, `x.sum() * 0`, or in a branch: right",
        ),
    ),
    module="compatload.programs.rewritings.filled_in_double",
    alone=(Alone(661, "error", sees=_failing),),
)
