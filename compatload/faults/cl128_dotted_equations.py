"""CL128: einsum with dots, legacy program."""

from __future__ import annotations

from compatload.artifact.model import Operator
from compatload.faults.graph import Graph
from compatload.faults.model import (
    LEGACY,
    Action,
    Alone,
    Condition,
    Evidence,
    OperatorPattern,
    Rule,
)


def _has_dots(operator: Operator, graph: Graph) -> bool:
    return "..." in str(operator.attributes.get("equation", ""))


_EINSUM = (OperatorPattern(frozenset({"einsum"}), where=_has_dots),)

RULE = Rule(
    id="CL128",
    title="einsum with dots, legacy program",
    action=Action.REPAIR,
    explanation=(
        "2.6 writes `...ij,jk->...ik` as it is; 3.x spells the dots out before it writes, and its "
        "kernel takes each dot for a letter: 3.0 reads past an array (SIGSEGV), 3.3 says that "
        "`Same label have different shapes`. The dots become letters."
    ),
    without="crash",
    evidence=(
        Evidence("measured", "`...ij,jk->...ik` and `...i,...i->...` saved by 2.6.2: 3.0.0, 3.3.1"),
    ),
    module="compatload.programs.legacy_repairs.dotted_equations",
    alone=(Alone(356, "error", Condition(paddle=">=3.0", formats=LEGACY, operators=_EINSUM)),),
)
