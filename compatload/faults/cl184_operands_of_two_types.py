"""CL184: operands of two types, which Paddle 3 brings to one type."""

from __future__ import annotations

from compatload.artifact.model import Operator
from compatload.faults.graph import FIRST, SECOND, Graph, operand
from compatload.faults.model import (
    PIR,
    Action,
    Alone,
    Cause,
    Condition,
    Evidence,
    OperatorPattern,
    Rule,
)
from compatload.operators.operands import BROUGHT_TO_LAST


def _are_of_two_types(operator: Operator, graph: Graph) -> bool:
    types = {graph.dtype(operand(operator, slots)) for slots in (FIRST, SECOND)}
    # Paddle promotes real to complex numbers itself, in every release.
    return len(types) == 2 and all(one and not one.startswith("complex") for one in types)


RULE = Rule(
    id="CL184",
    title="operands of two types, which 2.6 does not bring to one",
    when=(
        Condition(
            paddle="<3.0",
            formats=PIR,
            operators=(OperatorPattern(BROUGHT_TO_LAST, where=_are_of_two_types),),
        ),
    ),
    action=Action.REWRITE,
    explanation=(
        "A product of a float64 by a float32 tensor stands in programs that were built in static "
        "mode: nothing checks it there. Paddle 3 brings the operands of products, quotients and "
        "comparisons to the type of the last one as it prepares the program (those of sums it does "
        "not, and fails of them). The kernels of 2.6 refuse two types. The first operand is cast."
    ),
    without="error",
    evidence=(
        Evidence("measured", "24 operators x 6 pairs of types, executor and predictor of 3.0, 3.3"),
    ),
    module="compatload.programs.rewritings.brought_to_last",
    cause=Cause.KERNELS,
    alone=(Alone(770, "error"),),
)
