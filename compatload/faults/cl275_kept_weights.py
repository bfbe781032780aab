"""CL275: weights that are computed of an input, and kept from the first run, oneDNN."""

from __future__ import annotations

from dataclasses import replace
from math import prod

from compatload.artifact.model import Format, Operator
from compatload.faults.graph import FIRST, SECOND, Graph, bare_name, operand
from compatload.faults.model import Action, Alone, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import (
    ADDITIONS,
    CONVOLUTIONS,
    FILTER,
    LEGACY_ON_CPU,
    PIR_ON_CPU,
    PRODUCTS,
)


def _is_of_input(value: str | None, graph: Graph) -> bool:
    """Whether the numbers of a value are others at each run."""
    return (
        value is not None
        and graph.producer(value) is not None
        and not graph.is_stored(value)
        and not graph.is_computed_once(value)
    )


def _has_computed_filter(operator: Operator, graph: Graph) -> bool:
    return _is_of_input(operand(operator, FILTER), graph)


def _has_computed_weight(product: Operator, graph: Graph) -> bool:
    """Whether a fully connected layer, which a pass makes of a product by a matrix and an addition
    of a row, has a matrix or a row that is computed."""
    weight, added = operand(product, SECOND), graph.sole_user(product)
    if added is None or bare_name(added) not in ADDITIONS or len(graph.shape(weight) or ()) != 2:
        return False
    made = {one for values in product.outputs.values() for one in values}
    rows = [one for slots in (FIRST, SECOND) if (one := operand(added, slots)) not in made]
    return any(
        _is_row(graph.shape(row)) and (_is_of_input(weight, graph) or _is_of_input(row, graph))
        for row in rows
    )


def _is_row(shape: tuple[int, ...] | None) -> bool:
    return bool(shape) and len(shape or ()) <= 2 and prod(shape or ()) == (shape or (0,))[-1]


def _stale(graph: Graph, release: str) -> tuple[Operator, ...]:
    found = [one for one in graph.named(CONVOLUTIONS) if _has_computed_filter(one, graph)]
    if graph.artifact.format is Format.PIR:
        found += [one for one in graph.named(PRODUCTS) if _has_computed_weight(one, graph)]
    return tuple(found)


FILTERED = OperatorPattern(CONVOLUTIONS, where=_has_computed_filter)

RULE = Rule(
    id="CL275",
    title="weights that are computed of an input, oneDNN",
    when=(
        replace(LEGACY_ON_CPU, operators=(FILTERED,)),
        replace(
            PIR_ON_CPU,
            operators=(FILTERED, OperatorPattern(PRODUCTS, where=_has_computed_weight)),
        ),
    ),
    action=Action.DISABLE_ONEDNN,
    explanation=(
        "oneDNN brings the filter of a convolution into an order of its own and keeps that for "
        "all runs, as if it were a parameter: from the second input on the convolution is "
        "computed with the filter of the first, or with what lies there by now, without an "
        "error. Trackers that look for one image in another, dynamic convolutions and modulated "
        "ones of generators compute their filters. In PIR programs a fully connected layer whose "
        "matrix or bias is computed is as wrong."
    ),
    without="wrong",
    evidence=(
        Evidence("measured", "conv2d(x, z) of two inputs, a second run: 3.7 on 2.6.2 and 3.3.1"),
        Evidence("measured", "conv3d, depthwise and transposed; with relu, residual, batch norm"),
        Evidence("measured", "linear(x, w * x.mean(), b), a second run: 0.27 on 3.3.1"),
        Evidence("measured", "matmul(x, w) + x.mean([0, 1]): 0.68 on 3.3.1; legacy: right"),
        Evidence("measured", "a filter computed of parameters alone: right"),
    ),
    alone=(Alone(543, sees=_stale),),
)
