"""CL635: squares of matrix products of more than two axes, and their difference, legacy program."""

from __future__ import annotations

from dataclasses import replace

from compatload.artifact.model import Operator
from compatload.faults.graph import FIRST, Graph, bare_name, operand
from compatload.faults.model import (
    LEGACY_PREDICTOR,
    Action,
    Evidence,
    OperatorPattern,
    Rule,
)
from compatload.faults.onednn import PRODUCTS

_PLANE = 2


def _is_squared(product: Operator, graph: Graph) -> bool:
    """Whether a product of more than two axes is squared, and a difference follows."""
    user = graph.sole_user(product)
    if user is None or bare_name(user) != "square":
        return False
    less = graph.sole_user(user)
    of_more = len(graph.shape(operand(product, FIRST)) or (0,) * 3) > _PLANE
    return of_more and less is not None and bare_name(less) in ("elementwise_sub", "subtract")


RULE = Rule(
    id="CL635",
    title="squares of matrix products of more than two axes, and their difference, legacy program",
    when=(replace(LEGACY_PREDICTOR, operators=(OperatorPattern(PRODUCTS, where=_is_squared),)),),
    action=Action.DELETE_PASSES,
    explanation=(
        "`k * (square(x @ y) - square(x) @ square(y))` becomes one operator, which knows matrices "
        "only: `The input tensor X's dims size should be 2`. The pass finds it in programs that "
        "are converted; it looks at no number of axes."
    ),
    without="error",
    evidence=(
        Evidence(
            "measured",
            "full([1], 0.7) * (square(x @ y) - square(x) @ square(y)) of three and four axes, "
            "saved by 3.3.1: an error on 2.6.2",
        ),
        Evidence("measured", "of two axes, and saved by 2.6.2: right"),
    ),
    parameters=("squared_mat_sub_fuse_pass",),
)
