"""CL637: random numbers that are drawn once for all runs, predictors."""

from __future__ import annotations

from dataclasses import replace

from compatload.artifact.model import Operator
from compatload.faults.cl241_changed_in_loop import FOLDING_PASS
from compatload.faults.graph import Graph, bare_name, values_of
from compatload.faults.model import (
    LEGACY_PREDICTOR,
    PIR_PREDICTOR,
    Action,
    Evidence,
    OperatorPattern,
    Rule,
)

# The pass of PIR programs leaves these, whose operands are sizes and bounds.
_LEFT = frozenset({"gaussian", "randint", "randperm", "truncated_gaussian_random", "uniform"})
_DRAWING = _LEFT | {
    *("bernoulli", "binomial", "dirichlet", "dropout", "exponential", "gaussian_inplace"),
    *("gaussian_random", "gumbel_softmax", "multinomial", "poisson", "rrelu", "standard_gamma"),
    *("top_p_sampling", "uniform_inplace", "uniform_random", "uniform_random_inplace"),
}


def _is_drawn_once(operator: Operator, graph: Graph) -> bool:
    """Whether it is made of constants only."""
    is_test = operator.attributes.get("is_test", False)
    return not is_test and all(map(graph.is_computed_once, values_of(operator.inputs)))


def _is_folded(operator: Operator, graph: Graph) -> bool:
    return bare_name(operator) not in _LEFT and _is_drawn_once(operator, graph)


RULE = Rule(
    id="CL637",
    title="random numbers that are drawn once for all runs, predictors",
    when=(
        replace(LEGACY_PREDICTOR, operators=(OperatorPattern(_DRAWING, where=_is_drawn_once),)),
        replace(PIR_PREDICTOR, operators=(OperatorPattern(_DRAWING, where=_is_folded),)),
    ),
    action=Action.DELETE_PASSES,
    explanation=(
        "The pass that folds constants computes what depends on no input when the predictor is "
        "made: of paddle.rand([2, 4]) the same numbers come with every run, where the layer draws "
        "them anew. In PIR programs it leaves uniform, gaussian, randint and randperm, but not "
        "bernoulli, multinomial, poisson or dropout of constants."
    ),
    without="wrong",
    evidence=(
        Evidence("measured", "rand, randn, randint, randperm …: 2.6.2 and legacy on 3.3.1"),
        Evidence("measured", "bernoulli, multinomial, poisson, dropout of ones: PIR on 3.3.1"),
    ),
    parameters=FOLDING_PASS,
)
