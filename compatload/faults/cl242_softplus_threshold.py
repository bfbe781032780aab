"""CL242: softplus with a low threshold, oneDNN, legacy program."""

from __future__ import annotations

from dataclasses import replace

from compatload.artifact.model import Operator
from compatload.faults.graph import Graph
from compatload.faults.model import Action, Alone, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import LEGACY_ON_CPU

_SOFTPLUS = frozenset({"softplus", "fused_softplus"})
# Above this, softplus is its operand to within 1e-6.
_HIGH = 14.0


def has_low_threshold(operator: Operator, graph: Graph) -> bool:
    """Whether the operand itself is returned where softplus is something else."""
    threshold = operator.attributes.get("threshold", 20.0)
    return isinstance(threshold, (int, float)) and threshold < _HIGH


RULE = Rule(
    id="CL242",
    title="softplus with a low threshold, oneDNN, legacy program",
    when=(
        replace(LEGACY_ON_CPU, operators=(OperatorPattern(_SOFTPLUS, where=has_low_threshold),)),
    ),
    action=Action.WITHOUT_ONEDNN,
    explanation=(
        "The oneDNN operator knows no threshold, above which softplus returns its operand. The "
        "usual one of 20 makes no difference; a low one does."
    ),
    without="wrong",
    evidence=(
        Evidence("measured", "softplus(x, beta=3, threshold=1.5): 0.03 on 2.6.2 and 3.3.1"),
        Evidence("measured", "beta alone is right"),
    ),
    alone=(Alone(531, by_data=True),),
)
