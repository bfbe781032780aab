"""CL263: activation behind a layer of five axes, oneDNN of 2.6."""

from __future__ import annotations

from dataclasses import replace

from compatload.artifact.model import Operator
from compatload.faults.graph import FIRST, Graph, bare_name, operand
from compatload.faults.model import Action, Alone, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import (
    ADDITIONS,
    CONVOLUTIONS_ACTIVATIONS,
    LEGACY_ON_CPU,
    MATRIX_PRODUCTS,
    is_by_weight,
    layers,
)

_MOST = 4
# Another pass has taken a relu in by then, and leaves that layer to others.
_ACTIVATIONS = CONVOLUTIONS_ACTIVATIONS - {"relu"}


def _has_too_many(product: Operator, graph: Graph) -> bool:
    return len(graph.shape(operand(product, FIRST)) or ()) > _MOST


def _may_be_layer(product: Operator, graph: Graph) -> bool:
    return _has_too_many(product, graph) and is_by_weight(product, graph)


def _failing(graph: Graph, release: str) -> tuple[Operator, ...]:
    return tuple(
        user
        for product, last in layers(graph)
        if _has_too_many(product, graph)
        and (user := graph.sole_user(last)) is not None
        and bare_name(user) in _ACTIVATIONS
    )


RULE = Rule(
    id="CL263",
    title="activation behind a layer of five axes, oneDNN of 2.6",
    when=(
        replace(
            LEGACY_ON_CPU,
            paddle="<3.0",
            operators=(
                OperatorPattern(
                    MATRIX_PRODUCTS,
                    feeds=_ACTIVATIONS,
                    through=ADDITIONS,
                    where=_may_be_layer,
                ),
            ),
        ),
    ),
    action=Action.DELETE_PASSES,
    explanation=(
        "The pass takes an activation into the fully connected layer before it and gives both to "
        "oneDNN, whose layer then says that it expects two to four axes."
    ),
    without="error",
    evidence=(
        Evidence("measured", "tanh(linear(x)), x of [1, 4, 3, 1, 3]: `The Input of fc …`"),
        Evidence("measured", "linear(x) alone, or on 3.0.0 and 3.3.1: right"),
    ),
    parameters=("fc_act_mkldnn_fuse_pass",),
    alone=(Alone(470, sees=_failing),),
)
