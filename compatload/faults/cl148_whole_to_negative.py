"""CL148: a whole number to the power of a negative constant."""

from __future__ import annotations

import math

from compatload.artifact.model import Operator
from compatload.faults.graph import FIRST, Graph, operand
from compatload.faults.model import Action, Alone, Condition, Evidence, OperatorPattern, Rule

_WHOLE = frozenset({"int32", "int64"})


def _never_ends(operator: Operator, graph: Graph) -> bool:
    attributes = operator.attributes
    power = attributes.get("y", attributes.get("factor", 1.0))
    if operator.inputs.get("FactorTensor") or not isinstance(power, (float, int)):
        return False
    # The kernel cuts the constant to the type of the numbers, towards 0.
    negative = math.isfinite(power) and power <= -1
    return negative and graph.dtype(operand(operator, FIRST)) in _WHOLE


RULE = Rule(
    id="CL148",
    title="a whole number to the power of a negative constant",
    when=(
        Condition(
            devices=frozenset({"cpu"}),
            operators=(OperatorPattern(frozenset({"pow"}), where=_never_ends),),
        ),
    ),
    action=Action.REFUSE,
    explanation=(
        "The kernel halves the power until it is 0, which a negative one never is: the first call "
        "does not come back, and where the number is a constant the load of a predictor does not. "
        "In every release."
    ),
    without="crash",
    evidence=(
        Evidence("measured", "pow(int64 or int32, -3): 2.6.2, 3.0.0, 3.1.1, 3.2.2 and 3.3.1 hang"),
        Evidence("measured", "the same power as a tensor: 0, 1 or -1, on each of them"),
    ),
    advice="Cast the number to float32 before the power, and save the model again.",
    alone=(Alone(366),),
)
