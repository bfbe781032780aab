"""CL217: fully connected layer times a number, oneDNN, legacy program."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import Optional

from compatload.artifact.model import Operator
from compatload.faults.graph import FIRST, SECOND, Graph, bare_name, operand
from compatload.faults.model import Action, Alone, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import (
    ADDITIONS,
    DROPOUT,
    FUSED_ACTIVATIONS,
    LEGACY_ON_CPU,
    PRODUCTS,
    factor_in_legacy,
    is_downscaling,
    layers,
)

_Place = tuple[Optional[str], Optional[str]]


def _multiplied(graph: Graph, release: str) -> tuple[Operator, ...]:
    """A fully connected layer of four or more axes, and relu or not, times a number; one of fewer
    where it is applied to the same value again, and multiplied otherwise (CL287)."""
    found: list[tuple[_Place, Operator]] = []
    factors = defaultdict[_Place, set[float]](set)
    for product, last in layers(graph):
        place = operand(product, FIRST), operand(product, SECOND)
        scaled = _past_relu(last, graph)
        factor = (scaled and factor_in_legacy(scaled, graph)) or 1.0
        factors[place].add(factor)
        if scaled is not None and factor != 1.0:
            found.append((place, scaled))
    return tuple(
        scaled
        for place, scaled in found
        if len(graph.shape(place[0]) or ()) > 3 or len(factors[place]) > 1
    )


def _past_relu(operator: Operator, graph: Graph) -> Operator | None:
    user = graph.sole_user(operator)
    return graph.sole_user(user) if user and bare_name(user) == "relu" else user


def _is_downscaled(product: Operator, graph: Graph) -> bool:
    """Whether a dropout that scales comes where a scale would."""
    return graph.has(DROPOUT) and graph.leads(
        product,
        is_downscaling,
        lambda user: bare_name(user) in FUSED_ACTIVATIONS | ADDITIONS,
    )


RULE = Rule(
    id="CL217",
    title="fully connected layer times a number, oneDNN, legacy program",
    when=(
        replace(
            LEGACY_ON_CPU,
            operators=(
                OperatorPattern(
                    PRODUCTS | {"fc", "mul"},
                    feeds=frozenset({"scale"}),
                    through=FUSED_ACTIVATIONS | ADDITIONS,
                ),
                OperatorPattern(PRODUCTS | {"fc", "mul"}, where=_is_downscaled),
            ),
        ),
    ),
    action=Action.DELETE_PASSES,
    explanation=(
        "The pass takes the factor into the layer, which then leaves it out. A dropout that scales "
        "when nothing is trained (downscale_in_infer) is made a factor before."
    ),
    without="wrong",
    evidence=(
        Evidence("measured", "linear(x) * 2 is linear(x) on 2.6.2, 3.0.0 and 3.3.1"),
        Evidence("measured", "with relu between them, and with an addend: 0.44"),
        Evidence("measured", "dropout(linear(x), mode='downscale_in_infer'): 0.43 on 2.6.2, 3.3.1"),
    ),
    parameters=("operator_scale_onednn_fuse_pass",),
    alone=(Alone(590, sees=_multiplied),),
)
