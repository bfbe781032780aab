"""CL296: a convolution's channels, shuffled by hand, in a matrix product, oneDNN."""

from __future__ import annotations

from dataclasses import replace

from compatload.artifact.model import Operator
from compatload.faults.cl278_shuffled_not_float32 import SHUFFLING_PASSES, around_shuffle
from compatload.faults.graph import Graph, bare_name
from compatload.faults.model import PIR, Action, Alone, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import (
    FUSED_ACTIVATIONS,
    LEGACY_ON_CPU,
    MATRIX_PRODUCTS,
    PIR_ON_CPU,
    TRANSPOSITIONS,
    is_bias,
    is_of_convolution,
)


def _is_multiplied(transposition: Operator, graph: Graph) -> bool:
    """Whether a convolution's channels are shuffled so, and a product reads the result."""
    return _feeds_product(transposition, graph, FUSED_ACTIVATIONS | {"scale"}, layers=True)


def _misread(graph: Graph, release: str) -> tuple[Operator, ...]:
    """Where no bias is added to the product, which then is another operator."""
    return tuple(
        one
        for one in graph.named(TRANSPOSITIONS)
        if _feeds_product(one, graph, FUSED_ACTIVATIONS, layers=False)
    )


def _feeds_product(
    transposition: Operator, graph: Graph, through: frozenset[str], *, layers: bool
) -> bool:
    around = around_shuffle(transposition, graph)
    if around is None or not is_of_convolution(around[0], graph):
        return False
    return graph.leads(
        around[1],
        lambda user: bare_name(user) in MATRIX_PRODUCTS and (layers or not _is_layer(user, graph)),
        lambda user: bare_name(user) in through,
    )


def _is_layer(product: Operator, graph: Graph) -> bool:
    added = graph.sole_user(product)
    return added is not None and is_bias(added, graph)


_SHUFFLED = (OperatorPattern(TRANSPOSITIONS, where=_is_multiplied),)

RULE = Rule(
    id="CL296",
    title="a convolution's channels, shuffled by hand, in a matrix product, oneDNN",
    when=(
        replace(LEGACY_ON_CPU, operators=_SHUFFLED),
        replace(PIR_ON_CPU, operators=_SHUFFLED),
    ),
    action=Action.DELETE_PASSES,
    explanation=(
        "The pass makes one operator of reshape, transpose and reshape, which leaves the channels "
        "last where a convolution has put them. A matrix product that reads it takes them for the "
        "rows, without an error. Without the pass the three are what they were."
    ),
    without="wrong",
    evidence=(
        Evidence("measured", "matmul(shuffled(conv(x)), w): 6.6 on 3.0.0 and 3.3.1"),
        Evidence("measured", "relu between them: 3.8; matmul(x, shuffled(conv(x))): 6.3"),
        Evidence("measured", "legacy programs that keep XShape: the same on 2.6.2 and 3.3.1"),
        Evidence("measured", "shuffled images, channel_shuffle, sums and softmax behind: right"),
    ),
    parameters=SHUFFLING_PASSES,
    alone=(Alone(555, when=replace(PIR_ON_CPU, formats=PIR), sees=_misread),),
)
