"""CL250: layer normalisation with a weight or a bias alone, oneDNN, legacy program."""

from __future__ import annotations

from dataclasses import replace

from compatload.artifact.model import Operator
from compatload.faults.graph import Graph, operand
from compatload.faults.model import Action, Alone, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import LEGACY_ON_CPU

LAYER_NORM = frozenset({"layer_norm"})
# What stands for an operand that is not there.
_ABSENT = "%0"


def has_one_of_two(operator: Operator, graph: Graph) -> bool:
    """Whether it has a weight and no bias, or a bias and no weight."""
    weight, bias = operand(operator, ("Scale", "1")), operand(operator, ("Bias", "2"))
    return (weight in (None, _ABSENT)) != (bias in (None, _ABSENT))


RULE = Rule(
    id="CL250",
    title="layer normalisation with a weight or a bias alone, oneDNN, legacy program",
    when=(replace(LEGACY_ON_CPU, operators=(OperatorPattern(LAYER_NORM, where=has_one_of_two),)),),
    action=Action.WITHOUT_ONEDNN,
    explanation=(
        "The oneDNN operator takes both or neither: of a LayerNorm with `bias_attr=False`, or "
        "`weight_attr=False`, it leaves the other out as well. In silence."
    ),
    without="wrong",
    evidence=(
        Evidence("measured", "layer_norm(x, weight=w): by 2.3; (x, bias=b): by 0.35; all releases"),
    ),
    alone=(Alone(538),),
)
