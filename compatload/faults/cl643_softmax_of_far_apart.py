"""CL643: logarithms of a softmax of numbers that are far apart, oneDNN."""

from __future__ import annotations

from dataclasses import replace

from compatload.artifact.model import Operator
from compatload.faults.graph import FIRST, Graph, bare_name, operand
from compatload.faults.model import Action, Alone, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import IN_ONEDNN, LEGACY_ON_CPU, PIR_ON_CPU, RESHAPES, TRANSPOSITIONS

_LOGARITHMS = frozenset({"log", "log2", "log10"})
# What gives out the numbers that it gets.
_MOVING = (
    RESHAPES
    | TRANSPOSITIONS
    | {
        *("squeeze", "squeeze2", "unsqueeze", "unsqueeze2", "flatten", "flatten_contiguous_range"),
        *("slice", "strided_slice", "gather", "index_select", "assign", "share_data", "cast"),
    }
)


def _is_in_onednn(operator: Operator, graph: Graph) -> bool:
    return graph.dtype(operand(operator, FIRST)) in IN_ONEDNN


def _is_taken_logarithm_of(softmax: Operator, graph: Graph) -> bool:
    """Whether a logarithm reads it, or the same numbers in another order or shape."""
    return _is_in_onednn(softmax, graph) and graph.leads(
        softmax,
        lambda user: bare_name(user) in _LOGARITHMS,
        lambda user: bare_name(user) in _MOVING,
    )


_OPERATORS = (
    OperatorPattern(frozenset({"log_softmax"}), where=_is_in_onednn),
    OperatorPattern(frozenset({"softmax"}), where=_is_taken_logarithm_of),
)

RULE = Rule(
    id="CL643",
    title="logarithms of a softmax of numbers that are far apart, oneDNN",
    when=(
        replace(LEGACY_ON_CPU, operators=_OPERATORS),
        replace(PIR_ON_CPU, operators=_OPERATORS),
    ),
    action=Action.REWRITE,
    explanation=(
        "Paddle's own softmax takes no number for more than 64 below the largest: log_softmax of "
        "masked scores (-1e4) is -64. oneDNN's has no such limit: it gives -10000, and the "
        "logarithm of its softmax is -inf, of which an entropy (`-(p * log(p)).sum()`) makes "
        "NaN, in silence. Such operators compute in float64, which oneDNN leaves to Paddle."
    ),
    without="wrong",
    evidence=(
        Evidence(
            "measured",
            "log_softmax, log(softmax) of [0, -50, -100, -1e4], legacy and PIR: 2.6.2, 3.0.0, "
            "3.3.1 (2026-11-30)",
        ),
        Evidence("measured", "logsumexp and log_sigmoid of the same: right"),
    ),
    module="compatload.programs.rewritings.double_precision",
    alone=(Alone(774, "wrong", by_data=True),),
)
