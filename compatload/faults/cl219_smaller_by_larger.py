"""CL219: division of a smaller tensor by a larger one, oneDNN."""

from __future__ import annotations

from dataclasses import replace
from itertools import zip_longest

from compatload.artifact.model import Operator
from compatload.faults.graph import FIRST, SECOND, Graph, bare_name, operand
from compatload.faults.model import Action, Alone, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import (
    DIVISIONS,
    LEGACY_ON_CPU,
    PIR_ON_CPU_3_3,
    PIR_ON_CPU_TO_3_2,
    divides_elsewhere,
    is_smaller,
)

_UNKNOWN = -1


def _is_widened(operator: Operator, graph: Graph) -> bool:
    """Whether the first operand is stretched to the shape of the second, or may be by a run."""
    first, second = (graph.shape(operand(operator, slots)) for slots in (FIRST, SECOND))
    if first is None or second is None:
        return False
    aligned = zip_longest(reversed(first), reversed(second), fillvalue=1)
    return any(
        (size == 1 and other != 1) or (size == _UNKNOWN and other > 1) for size, other in aligned
    )


def _smaller(graph: Graph, release: str) -> tuple[Operator, ...]:
    """Divisions whose first operand has fewer elements; float64 is none of oneDNN's."""
    scaled = divides_elsewhere(graph, release)
    return tuple(
        one
        for one in graph.named(DIVISIONS)
        if not scaled or any(bare_name(user) == "scale" for user in graph.users_of(one))
        if graph.dtype(operand(one, FIRST)) != "float64"
        and is_smaller(graph.shape(operand(one, FIRST)), graph.shape(operand(one, SECOND)))
    )


_WIDENED = (OperatorPattern(DIVISIONS, where=_is_widened),)
_SCALED = (OperatorPattern(DIVISIONS, feeds=frozenset({"scale"}), where=_is_widened),)

RULE = Rule(
    id="CL219",
    title="division of a smaller tensor by a larger one, oneDNN",
    when=(
        replace(LEGACY_ON_CPU, operators=_WIDENED),
        replace(PIR_ON_CPU_TO_3_2, operators=_WIDENED),
        replace(PIR_ON_CPU_3_3, operators=_SCALED),
    ),
    action=Action.DISABLE_ONEDNN,
    explanation=(
        "The operands change places where the first has fewer elements, and the result is the "
        "inverse of what it should be, without an error."
    ),
    without="wrong",
    evidence=(
        Evidence("measured", "ones([1]) / x is x, legacy: 2.6.2, 3.0.0, 3.1.1, 3.2.2, 3.3.1"),
        Evidence("measured", "saved by 3.3.1: the same on 3.0.0, 3.1.1, 3.2.2; right on 3.3.1"),
        Evidence("measured", "2 * (ones([1]) / x), saved by 3.3.1: wrong by 3.0 on 3.3.1, too"),
        Evidence("measured", "[N, 4, 16] / [5, 4, 16], a batch of one: the same on 2.6.2, 3.0.0"),
        Evidence("measured", "positions of PaddleDetection's DETR: [1, 3, 3, 1] / [32]"),
    ),
    alone=(Alone(592, sees=_smaller),),
)
