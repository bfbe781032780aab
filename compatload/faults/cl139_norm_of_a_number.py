"""CL139: a norm along an axis of a number, which has none."""

from __future__ import annotations

from compatload.artifact.model import Operator
from compatload.faults.graph import FIRST, Graph, operand
from compatload.faults.model import (
    Action,
    Alone,
    Cause,
    Condition,
    Evidence,
    OperatorPattern,
    Rule,
)


def _is_of_number(operator: Operator, graph: Graph) -> bool:
    return graph.shape(operand(operator, FIRST)) == () and not operator.attributes.get("asvector")


_NORM = Condition(operators=(OperatorPattern(frozenset({"p_norm"}), where=_is_of_number),))

RULE = Rule(
    id="CL139",
    title="a norm along an axis of a number, which has none",
    when=(_NORM,),
    action=Action.REWRITE,
    explanation=(
        "`normalize(x)` of a tensor without dimensions asks for a norm along an axis. Paddle's "
        "kernel looks the size of that axis up before the first one: it sums what lies in memory "
        "there, and ends the process or gives any number, now and then 0, the sum of nothing. It "
        "is 0 then. 2.6 refuses the axis."
    ),
    without="crash",
    evidence=(
        Evidence("measured", "normalize(x, epsilon=1.0) of shape [], saved by 3.0.0 to 3.2.2"),
        Evidence("measured", "SIGSEGV, or off by 0.3, in layers and predictors of 3.0.0 to 3.3.1"),
    ),
    module="compatload.programs.rewritings.zero_norm",
    cause=Cause.KERNELS,
    alone=(Alone(767, "wrong", by_data=True),),
)
