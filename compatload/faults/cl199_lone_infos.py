"""CL199: what lu tells of one matrix, between 2.6 and 3.x."""

from __future__ import annotations

from compatload.artifact.model import Operator
from compatload.faults.graph import FIRST, Graph, operand
from compatload.faults.model import (
    LEGACY,
    Action,
    Alone,
    Condition,
    Evidence,
    OperatorPattern,
    Rule,
)

# As ``paddle.jit.save`` and as a static program declare it.
DECLARED = ((0,), (1,))


def _is_told(operator: Operator, graph: Graph) -> bool:
    told = next(iter(operator.outputs.get("Infos", ())), None)
    one = len(graph.shape(operand(operator, FIRST)) or ()) == 2
    used = told is not None and bool(graph.users.get(told))
    return one and used and graph.shape(told) in DECLARED


RULE = Rule(
    id="CL199",
    title="what lu tells of one matrix, between 2.6 and 3.x",
    action=Action.REPAIR,
    explanation=(
        "`paddle.linalg.lu(x, get_infos=True)` of one matrix gives its info in one place in 2.6, "
        "and as a number without dimensions in 3.x. It is reshaped to what it was, both ways."
    ),
    without="wrong",
    evidence=(
        Evidence("measured", "shapes of lu(3 x 3): (1,) on 2.6.2, () on 3.0.0, 3.1.1 and 3.3.1"),
    ),
    module="compatload.programs.legacy_repairs.lone_infos",
    alone=(
        Alone(
            566,
            when=Condition(
                paddle=">=3.0",
                formats=LEGACY,
                operators=(OperatorPattern(frozenset({"lu"}), where=_is_told),),
            ),
        ),
    ),
)
