"""CL276: times a number, or with an axis more, after a sum that is not of float32, oneDNN, PIR."""

from __future__ import annotations

from dataclasses import replace

from compatload.artifact.model import Operator
from compatload.faults.graph import FIRST, Graph, bare_name, operand
from compatload.faults.model import Action, Alone, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import BINARY, IN_ONEDNN, PIR_ON_CPU

_WIDENED = frozenset({"unsqueeze"})


def _is_followed(operator: Operator, graph: Graph) -> bool:
    return graph.dtype(operand(operator, FIRST)) not in {None, *IN_ONEDNN} and any(
        _is_taken(user, operator, graph) for user in graph.users_of(operator)
    )


def _is_taken(user: Operator, operator: Operator, graph: Graph) -> bool:
    """Whether a pass takes in what reads the result."""
    widened = bare_name(user) in _WIDENED and bare_name(operator) == "multiply"
    return widened or graph.factor(user) not in (None, 1.0)


def _lost(graph: Graph, release: str) -> tuple[Operator, ...]:
    found = (one for one in graph.named(BINARY) if _is_followed(one, graph))
    return tuple(one for one in found if graph.sole_user(one) is not None)


RULE = Rule(
    id="CL276",
    title="times a number, or an axis more, after a sum not of float32, oneDNN, PIR program",
    when=(replace(PIR_ON_CPU, operators=(OperatorPattern(BINARY, where=_is_followed),)),),
    action=Action.DELETE_PASSES,
    explanation=(
        "The passes take a multiplication by a number into the sum, difference, product or "
        "quotient before it, and a new axis into the product before it. oneDNN has no operator "
        "for integers and float64; what runs is the plain one, and the number or the axis is "
        "lost without an error: (i + j) * 2 of indices is i + j. Legacy programs are right."
    ),
    without="wrong",
    evidence=(
        Evidence("measured", "(i + j) * 2, (i - j) * 2, (i * j) * 3 of int64: 3.0.0 and 3.3.1"),
        Evidence("measured", "the same and a quotient of float64; (i * j).unsqueeze(1): a shape"),
    ),
    parameters=("operator_scale_onednn_fuse_pass", "operator_unsqueeze_onednn_fuse_pass"),
    alone=(Alone(544, sees=_lost),),
)
