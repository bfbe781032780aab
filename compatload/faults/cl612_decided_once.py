"""CL612: a branch whose condition depends on no input."""

from __future__ import annotations

from dataclasses import replace

from compatload.artifact.model import Operator
from compatload.faults.cl241_changed_in_loop import FOLDING_PASS
from compatload.faults.graph import FIRST, Graph, operand
from compatload.faults.model import (
    LEGACY_PREDICTOR,
    PIR_PREDICTOR,
    Action,
    Alone,
    Evidence,
    OperatorPattern,
    Rule,
)

_BRANCHES = frozenset({"if"})
# Of PIR, whose branches 2.6 gets as its own.
_BRANCHES_OF_2_6 = frozenset({"conditional_block", "if"})


def _is_decided_once(branch: Operator, graph: Graph) -> bool:
    condition = operand(branch, FIRST)
    return condition is not None and graph.is_computed_once(condition)


def _is_computed_once(branch: Operator, graph: Graph) -> bool:
    """Whether all that it reads depends on no input; PIR tells of the condition alone."""
    read = [value for values in branch.inputs.values() for value in values]
    return all(graph.is_computed_once(value) for value in read)


RULE = Rule(
    id="CL612",
    title="branch whose condition depends on no input",
    when=(
        replace(
            PIR_PREDICTOR,
            operators=(OperatorPattern(_BRANCHES, where=_is_decided_once),),
        ),
        replace(
            LEGACY_PREDICTOR,
            paddle="<3.0",
            operators=(OperatorPattern(_BRANCHES_OF_2_6, where=_is_computed_once),),
        ),
    ),
    action=Action.DELETE_PASSES,
    explanation=(
        "The pass that folds constants takes such a branch for one, runs it without its blocks, "
        "and no predictor is made (`The size 0 of regions must be equal to 2`). Models that stop "
        "early begin with such a flag. In 2.6 so does one that reads nothing else."
    ),
    without="error",
    evidence=(
        Evidence("measured", "if not paddle.zeros([1], 'bool'), 3.0.0 and 3.3.1"),
        Evidence("measured", "if weight.mean() > 0, 3.0.0 and 3.3.1; while of numbers: right"),
        Evidence("measured", "if weight.mean() > 0: other = other * 2, of parameters: 2.6.2"),
        Evidence("measured", "the same saved by 3.3.1, in 2.6.2: not of type vector<Scope*>"),
        Evidence("measured", "a BERT with early exits (matrix.blind), 3.3.1"),
    ),
    parameters=FOLDING_PASS,
    alone=(Alone(656),),
)
