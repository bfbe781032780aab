"""CL641: two activations behind a product of values and an addition, legacy program, oneDNN."""

from __future__ import annotations

from dataclasses import replace

from compatload.artifact.model import Operator
from compatload.faults.cl209_two_activations_after_layer import first_behind
from compatload.faults.graph import Graph
from compatload.faults.model import Action, Alone, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import CONVOLUTIONS_ACTIVATIONS, LEGACY_ON_CPU


def _is_second(operator: Operator, graph: Graph) -> bool:
    """The pass asks for one activation after the other, by their names, and comes back to none."""
    first = first_behind(operator, graph, layer=False)
    return first is not None and first.name < operator.name


RULE = Rule(
    id="CL641",
    title="two activations behind a product of values and an addition, legacy program",
    when=(
        replace(
            LEGACY_ON_CPU,
            operators=(OperatorPattern(CONVOLUTIONS_ACTIVATIONS, where=_is_second),),
        ),
    ),
    action=Action.DELETE_PASSES,
    explanation=(
        "Where the weight is computed (`matmul(x, w * 2) + b`, scores of an attention), a product "
        "takes in the addition, then the first activation, and then the second in the place of "
        "the first: `tanh(leaky_relu(y))` gives `tanh(y)`, `sqrt(relu(y))` NaN, in silence."
    ),
    without="wrong",
    evidence=(
        Evidence(
            "measured",
            "16 x 16 pairs saved by 2.6.2: 71 of 232 wrong in 2.6.2, 3.0.0 and 3.3.1, all where "
            "the second comes behind the first in the alphabet; PIR programs are right "
            "(2026-11-30)",
        ),
    ),
    parameters=("matmul_activation_mkldnn_fuse_pass", "matmul_activation_onednn_fuse_pass"),
    alone=(Alone(759, "wrong"),),
)
