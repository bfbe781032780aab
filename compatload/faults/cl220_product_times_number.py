"""CL220: matrix product times a number, legacy program."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from compatload.artifact.model import Operator
from compatload.faults.graph import FIRST, SECOND, Graph, operand
from compatload.faults.model import (
    LEGACY_PREDICTOR,
    PIR,
    Action,
    Alone,
    Evidence,
    OperatorPattern,
    Rule,
)
from compatload.faults.onednn import DROPOUT, PRODUCTS, factor_in_legacy, is_downscaling


def _read_twice(graph: Graph, release: str) -> tuple[Operator, ...]:
    """A product that is multiplied by a number, and read otherwise, too: also by 1, with which 2.6
    ends its outputs, and which is taken away only where nothing else reads the product."""
    return tuple(
        one
        for one in _scaled(graph, by_one=True)
        if len([*graph.users_of(one)]) > 1 and _is_taken(operand(one, SECOND), graph)
    )


def _is_taken(second: str | None, graph: Graph) -> bool:
    """Products with a vector that is computed are left alone."""
    return graph.is_stored(second) or len(graph.shape(second) or (0, 0)) > 1


def _weight_read_twice(graph: Graph, release: str) -> tuple[Operator, ...]:
    """One with a stored weight, where it is the weight that is read otherwise, too."""
    return tuple(
        one
        for one in _scaled(graph)
        if (weight := operand(one, SECOND)) is not None
        and graph.is_stored(weight)
        and len(graph.users.get(weight, ())) > 1
    )


def _scaled(graph: Graph, *, by_one: bool = False) -> Iterator[Operator]:
    """Those that the pass finds: of two different tensors, the first of which is no weight."""
    without = (None,) if by_one else (None, 1.0)
    for one in graph.named(PRODUCTS):
        first = operand(one, FIRST)
        if first == operand(one, SECOND) or graph.is_stored(first):
            continue
        if any(factor_in_legacy(user, graph) not in without for user in graph.users_of(one)):
            yield one


def _is_downscaled(product: Operator, graph: Graph) -> bool:
    return graph.has(DROPOUT) and any(map(is_downscaling, graph.users_of(product)))


RULE = Rule(
    id="CL220",
    title="matrix product times a number, legacy program",
    when=(
        replace(
            LEGACY_PREDICTOR,
            operators=(
                OperatorPattern(PRODUCTS | {"mul"}, feeds=frozenset({"scale"})),
                OperatorPattern(PRODUCTS | {"mul"}, where=_is_downscaled),
            ),
        ),
        replace(  # halves are rounded to even by a scale, which the conversion writes
            LEGACY_PREDICTOR,
            formats=PIR,
            paddle="<3.0",
            operators=(OperatorPattern(PRODUCTS, feeds=frozenset({"round"})),),
        ),
    ),
    action=Action.DELETE_PASSES,
    explanation=(
        "The pass multiplies the stored weight by the number, whoever else reads that weight, "
        "and takes the product away, whoever else reads that."
    ),
    without="wrong",
    evidence=(
        Evidence("measured", "matmul(x, w) * 2 + w: 0.20 on 2.6.2, 3.0.0 and 3.3.1"),
        Evidence("measured", "the product read twice: no predictor is made"),
        Evidence("measured", "PaddleDetection's GFL: 4 boxes in place of 20"),
    ),
    parameters=("matmul_v2_scale_fuse_pass", "matmul_scale_fuse_pass"),
    alone=(
        Alone(430, "error", sees=_read_twice),
        Alone(594, "wrong", sees=_weight_read_twice),
    ),
)
