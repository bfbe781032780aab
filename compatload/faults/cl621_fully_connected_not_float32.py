"""CL621: layers that are not of float32, legacy program outside of oneDNN."""

from __future__ import annotations

from dataclasses import replace

from compatload.artifact.model import Operator
from compatload.faults.graph import SECOND, Graph, operand
from compatload.faults.model import Action, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import LEGACY_ON_CPU, PRODUCTS, bias_of


def _is_connected(product: Operator, graph: Graph) -> bool:
    """Whether it is a product with a stored weight, another type than float32, and a bias."""
    other = graph.dtype(operand(product, SECOND)) not in {None, "float32"}
    return other and bias_of(product, graph) is not None


RULE = Rule(
    id="CL621",
    title="layer that is not of float32, legacy program outside of oneDNN",
    when=(
        replace(
            LEGACY_ON_CPU,
            operators=(OperatorPattern(PRODUCTS | {"mul"}, where=_is_connected),),
        ),
    ),
    action=Action.DELETE_PASSES,
    explanation=(
        "Where oneDNN is off, as it is with most of what computes in float64 (CL279), the pass "
        "that joins a product and its bias looks at the weight as float32, to see whether it is "
        "to be padded: `The type of data we are trying to retrieve (float32) does not match`, as "
        "the predictor is made. The pass is left out."
    ),
    without="error",
    evidence=(
        Evidence(
            "measured", "linear(x) of float64 without oneDNN: 2.6.2 and 3.3.1; with it: right"
        ),
    ),
    parameters=("fc_fuse_pass",),
)
