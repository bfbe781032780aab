"""CL209: two activations after a fully connected layer, oneDNN."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from compatload.artifact.model import Format, Operator
from compatload.faults.graph import Graph, bare_name
from compatload.faults.model import Action, Alone, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import ADDITIONS, CONVOLUTIONS_ACTIVATIONS, MATRIX_PRODUCTS, ON_CPU


def pairs_behind(graph: Graph, *, stored: bool) -> Iterator[tuple[Operator, Operator]]:
    """Two activations that follow, one reader after the other, a product and an addition: a fully
    connected layer where the weight is ``stored``, and a product of values where it is not."""
    for product in graph.named(MATRIX_PRODUCTS):
        if _has_stored_weight(product, graph) is not stored:
            continue
        follow: list[Operator] = []
        for names in (ADDITIONS, CONVOLUTIONS_ACTIVATIONS, CONVOLUTIONS_ACTIVATIONS):
            user = graph.sole_user(follow[-1] if follow else product)
            if user is None or bare_name(user) not in names:
                break
            follow.append(user)
        else:
            yield follow[1], follow[2]


def _seconds(graph: Graph, release: str) -> tuple[Operator, ...]:
    """The second of two activations that follow a fully connected layer directly."""
    pairs = pairs_behind(graph, stored=True)
    return tuple({second: None for first, second in pairs if _are_both_taken(first, second, graph)})


def _are_both_taken(first: Operator, second: Operator, graph: Graph) -> bool:
    """relu is the layer's own. In a legacy program the pass asks for one activation after the
    other, by their names, and comes back to none."""
    if bare_name(first) == "relu":
        return False
    return graph.artifact.format is not Format.LEGACY or first.name < second.name


def _has_stored_weight(product: Operator, graph: Graph) -> bool:
    weights = product.inputs.get("Y") or product.inputs.get("1") or product.inputs.get("W") or ()
    return any(graph.is_stored(value) for value in weights)


RULE = Rule(
    id="CL209",
    title="two activations after a fully connected layer, oneDNN",
    when=(
        replace(
            ON_CPU,
            operators=(OperatorPattern(CONVOLUTIONS_ACTIVATIONS, feeds=CONVOLUTIONS_ACTIVATIONS),),
        ),
    ),
    action=Action.DELETE_PASSES,
    explanation=(
        "The pass fuses the first activation into the layer, then the second over it: the "
        "first one is lost and the numbers are wrong (or NaN) without an error."
    ),
    without="wrong",
    evidence=(
        Evidence("measured", "2.6.2, 3.0.0, 3.2.2, 3.3.1: linear → abs → sqrt gives NaN"),
        Evidence("measured", "the same: gelu → relu, hardswish → relu, leaky_relu → tanh …"),
        Evidence(
            "measured",
            "17 × 17 pairs on 2.6.2, 3.0.0, 3.3.1: right behind relu, and in legacy programs where "
            "the second comes before the first in the alphabet",
        ),
        Evidence("measured", "hardsigmoid → relu, gelu → hardsigmoid: wrong on 2.6.2 and 3.3.1"),
    ),
    parameters=(
        "fc_activation_fuse_pass",
        "fc_act_onednn_fuse_pass",
        "fc_act_mkldnn_fuse_pass",
    ),
    alone=(Alone(560, sees=_seconds),),
)
