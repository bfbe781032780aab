"""CL142: kernels that 3.1 has mended (heaviside, digamma, powers, equal), legacy program."""

from __future__ import annotations

from dataclasses import replace

from compatload.artifact.model import Operator
from compatload.faults.graph import FIRST, SECOND, Graph, operand
from compatload.faults.model import (
    LEGACY,
    PREDICTOR,
    Action,
    Alone,
    Condition,
    Evidence,
    OperatorPattern,
    Rule,
)
from compatload.faults.origin import is_from, is_from_before

NEAR = 1e-8  # up to 3.0, floats are equal where less lies between them
STEP = frozenset({"heaviside", "elementwise_heaviside"})


def has_fewer_axes(operator: Operator, graph: Graph) -> bool:
    first, second = (graph.shape(operand(operator, slots)) for slots in (FIRST, SECOND))
    return first is not None and second is not None and len(first) < len(second)


def _is_saved_since(operator: Operator, graph: Graph) -> bool:
    return is_from(graph, "3.1")


def _is_saved_before(operator: Operator, graph: Graph) -> bool:
    return is_from_before(graph, "3.1")


# They count in int32 up to 3.0, and in int64 since.
RANK = frozenset({"matrix_rank", "matrix_rank_tol", "matrix_rank_atol_rtol"})
COPIED = frozenset({"scale", "assign", "share_data"})
_RANKS = (
    OperatorPattern(RANK, feeds=frozenset({"fetch"}), through=COPIED, where=_is_saved_before),
)
_LATER_RANKS = (
    OperatorPattern(RANK, feeds=frozenset({"fetch"}), through=COPIED, where=_is_saved_since),
)
_OF_ZERO = (OperatorPattern(frozenset({"digamma"}), where=_is_saved_before),)
_IN_PREDICTORS = Condition(paddle=">=3.1", apis=PREDICTOR, formats=LEGACY)


FLOATS = frozenset({"float32", "float64"})


def is_of_floats(operator: Operator, graph: Graph) -> bool:
    """Whether two floats are equal that less than 1e-8 lies between."""
    return graph.dtype(operand(operator, FIRST)) in FLOATS


def _was_of_floats(operator: Operator, graph: Graph) -> bool:
    return _is_saved_before(operator, graph) and is_of_floats(operator, graph)


_EQUALITIES = (OperatorPattern(frozenset({"equal", "not_equal"}), where=_was_of_floats),)


def _is_of_2x(operator: Operator, graph: Graph) -> bool:
    return (graph.artifact.saved_by or "").startswith("==2.") and has_fewer_axes(operator, graph)


RULE = Rule(
    id="CL142",
    title="kernels that 3.1 has mended (heaviside, digamma, powers, equal), legacy program",
    action=Action.REPAIR,
    explanation=(
        "Up to 3.0 heaviside(x, y) is computed as heaviside(y, x) where x has fewer axes than y, "
        "digamma of zero is NaN, and a whole zero to a power below zero the least number; 3.1 does "
        "as it says, gives infinity, and zero. Up to 3.0 two floats are equal where less than 1e-8 "
        "lies between them, since then where they are the same. In silence. What "
        "was saved up to 3.0 computes as there on later releases, and the other way round."
    ),
    without="wrong",
    evidence=(
        Evidence("measured", "heaviside([-1, 0, 2], 2 x 3 numbers): 2.6.2, 3.0.0 / 3.1.1, 3.3.1"),
        Evidence("measured", "digamma([0, -0]): NaN on 2.6.2, 3.0.0; -inf, inf on 3.1.1 to 3.3.1"),
        Evidence("measured", "equal(5e-9, 0): true on 2.6.0 to 3.0.0, false on 3.1.0 and 3.3.1"),
        Evidence("measured", "Panoptic-DeepLab's centres (PaddleSeg), 2.6.2: other ones on 3.3.1"),
        Evidence("measured", "0 ** -1 of int64: -2^63 on 2.6.2 and 3.0.0, 0 on 3.1.1 to 3.3.1"),
    ),
    module="compatload.programs.legacy_repairs.mended_in_3_1",
    alone=(
        Alone(
            562,
            when=Condition(
                paddle=">=3.1",
                formats=LEGACY,
                operators=(OperatorPattern(STEP, where=_is_of_2x),),
            ),
        ),
        Alone(734, when=replace(_IN_PREDICTORS, operators=_RANKS)),
        Alone(768, when=replace(_IN_PREDICTORS, operators=_LATER_RANKS, paddle=">=3.0,<3.1")),
        Alone(735, when=replace(_IN_PREDICTORS, operators=_OF_ZERO), by_data=True),
        Alone(742, when=replace(_IN_PREDICTORS, operators=_EQUALITIES), by_data=True),
    ),
)
