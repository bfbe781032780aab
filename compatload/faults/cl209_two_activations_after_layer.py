"""CL209: two activations after a fully connected layer, oneDNN."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from compatload.artifact.model import Format, Operator
from compatload.faults.graph import Graph, bare_name, operand, result
from compatload.faults.model import Action, Alone, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import ADDITIONS, CONVOLUTIONS_ACTIVATIONS, MATRIX_PRODUCTS, ON_CPU

_WEIGHT = ("1", "Y", "W")


def first_behind(second: Operator, graph: Graph, *, layer: bool) -> Operator | None:
    """The activation before this one, where that is the only reader of an addition, which is the
    only reader of a product: a pass makes a fully connected ``layer`` of both, or does not."""
    for first in _makers(second, CONVOLUTIONS_ACTIVATIONS, graph):
        for addition in _makers(first, ADDITIONS, graph):
            for product in _makers(addition, MATRIX_PRODUCTS, graph):
                if is_layer(product, addition, graph) is layer:
                    return first
    return None


def _makers(reader: Operator, names: frozenset[str], graph: Graph) -> Iterator[Operator]:
    """Those of its operands' makers whose result nothing else reads."""
    for maker in graph.producers_of(reader):
        if bare_name(maker) in names and graph.sole_user(maker) is reader:
            yield maker


def is_layer(product: Operator, addition: Operator, graph: Graph) -> bool:
    """Whether a pass makes a fully connected layer of both. In a PIR program the weight may be
    computed, but not as the predictor is made, and the bias is a row."""
    weight = operand(product, _WEIGHT)
    if graph.artifact.format is Format.LEGACY:
        return graph.is_stored(weight)
    sizes, made = graph.shape(weight), result(product)
    others = [one for names in addition.inputs.values() for one in names if one != made]
    return (
        weight is not None
        and sizes is not None
        and len(sizes) == 2
        and not product.attributes.get("transpose_y")
        and all(len(graph.shape(one) or ()) == 1 for one in others)
        and (graph.is_stored(weight) or not graph.is_computed_once(weight))
    )


def _seconds(graph: Graph, release: str) -> tuple[Operator, ...]:
    """The second of two activations that follow a fully connected layer directly."""
    return tuple(one for one in graph.named(CONVOLUTIONS_ACTIVATIONS) if _is_taken_over(one, graph))


def _is_taken_over(second: Operator, graph: Graph) -> bool:
    """relu is the layer's own. In a legacy program the pass asks for one activation after the
    other, by their names, and comes back to none."""
    first = first_behind(second, graph, layer=True)
    if first is None or bare_name(first) == "relu":
        return False
    return graph.artifact.format is not Format.LEGACY or first.name < second.name


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
        Evidence(
            "measured",
            "16 × 16 pairs behind matmul(x, w * x.mean()) + b, saved by 3.3.1: 131 of 232 wrong",
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
