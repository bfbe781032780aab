"""CL143: kernels that 3.1 has mended (heaviside, digamma, ranks, equal), PIR program of 3.0."""

from __future__ import annotations

from dataclasses import replace

from compatload.artifact.model import Operator
from compatload.faults.bounds import bounds
from compatload.faults.cl126_rounded_halves_pir import AWAY_FROM_ZERO, NEWER_ON_3_0
from compatload.faults.cl142_mended_in_3_1 import (
    COPIED,
    RANK,
    STEP,
    has_fewer_axes,
    is_of_floats,
)
from compatload.faults.graph import FIRST, Graph, operand
from compatload.faults.model import PIR, Action, Alone, Condition, Evidence, OperatorPattern, Rule

# Files of this version are those of 3.0.
BEFORE_3_1 = AWAY_FROM_ZERO
EQUALITIES = frozenset({"equal", "equal_", "not_equal", "not_equal_"})


def _is_older(operator: Operator, graph: Graph) -> bool:
    return _is_of_3_0(graph) and has_fewer_axes(operator, graph)


def _is_counted_otherwise(operator: Operator, graph: Graph) -> bool:
    return _is_of_3_0(graph)


def _may_be_of_zero(operator: Operator, graph: Graph) -> bool:
    return _is_of_3_0(graph) and not bounds(graph, operand(operator, FIRST)).nonzero


def _was_of_floats(operator: Operator, graph: Graph) -> bool:
    return _is_of_3_0(graph) and is_of_floats(operator, graph)


def _is_of_3_0(graph: Graph) -> bool:
    return (graph.artifact.pir_version or 0) <= BEFORE_3_1


_NEWER_RANKS = OperatorPattern(RANK, feeds=frozenset({"fetch"}), through=COPIED)
_OLDER_EQUALITIES = OperatorPattern(EQUALITIES, where=_was_of_floats)
_NEWER_EQUALITIES = OperatorPattern(EQUALITIES, where=is_of_floats)
_OLDER_RANKS = replace(_NEWER_RANKS, where=_is_counted_otherwise)

RULE = Rule(
    id="CL143",
    title="kernels that 3.1 has mended (heaviside, digamma, ranks, equal), PIR program of 3.0",
    when=(
        Condition(
            paddle=">=3.1",
            formats=PIR,
            operators=(
                OperatorPattern(STEP, where=_is_older),
                OperatorPattern(frozenset({"digamma"}), where=_may_be_of_zero),
                OperatorPattern(RANK, where=_is_counted_otherwise),
                _OLDER_EQUALITIES,
            ),
        ),
    ),
    action=Action.CONVERT,
    explanation=(
        "As CL142, for PIR programs that 3.0 saved; and matrix_rank counts in int64 since. What "
        "later releases saved computes on 3.0 as it did there, where CL104 rewrites it, and on "
        "2.6."
    ),
    without="wrong",
    evidence=(
        Evidence("measured", "heaviside([-1, 0, 2], 2 x 3 numbers): 3.0.0 / 3.1.1, 3.2.2, 3.3.1"),
        Evidence("measured", "equal(5e-9, 0): true on 3.0.0, false on 3.1.0 and 3.3.1"),
        Evidence("measured", "matrix_rank(x): int32 on 3.0.0, int64 on 3.1.1, 3.2.2 and 3.3.1"),
    ),
    alone=(
        Alone(
            561,
            when=Condition(
                paddle=">=3.1",
                formats=PIR,
                operators=(OperatorPattern(STEP, where=_is_older),),
            ),
        ),
        Alone(736, when=Condition(paddle=">=3.1", formats=PIR, operators=(_OLDER_RANKS,))),
        Alone(737, when=replace(NEWER_ON_3_0, operators=(_NEWER_RANKS,))),
        Alone(
            738,
            when=Condition(
                paddle=">=3.1",
                formats=PIR,
                operators=(OperatorPattern(frozenset({"digamma"}), where=_may_be_of_zero),),
            ),
            by_data=True,
        ),
        Alone(
            743,
            when=Condition(paddle=">=3.1", formats=PIR, operators=(_OLDER_EQUALITIES,)),
            by_data=True,
        ),
        Alone(744, when=replace(NEWER_ON_3_0, operators=(_NEWER_EQUALITIES,)), by_data=True),
        Alone(
            672,
            when=replace(NEWER_ON_3_0, operators=(OperatorPattern(STEP, where=has_fewer_axes),)),
        ),
    ),
)
