"""CL619: a fully connected layer whose result is reshaped by a tensor, oneDNN, legacy program."""

from __future__ import annotations

from dataclasses import replace

from compatload.artifact.model import Format, Operator
from compatload.faults.graph import Graph, bare_name, operand
from compatload.faults.model import Action, Alone, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import (
    DROPOUT,
    FUSED_ACTIVATIONS,
    LEGACY_ON_CPU,
    RESHAPES,
    factor_in_legacy,
    layers,
)

_SHAPE = ("1", "Shape")
# What 2.6 gets as a list of sizes or as an attribute.
_LISTED = frozenset({"constant", "full_int_array", "stack", "combine", "assign_value"})


def _is_by_tensor(operator: Operator, graph: Graph) -> bool:
    shape = operand(operator, _SHAPE)
    maker = graph.producer(shape)
    if graph.artifact.format is Format.PIR:
        return maker is not None and bare_name(maker) not in _LISTED
    return shape is not None


def _unshaped(graph: Graph, release: str) -> tuple[Operator, ...]:
    """The products of such layers, with what the layer takes in."""

    def is_taken_in(user: Operator) -> bool:
        name = bare_name(user)
        return name in FUSED_ACTIVATIONS | DROPOUT or factor_in_legacy(user, graph) is not None

    def is_reshaped(user: Operator) -> bool:
        return bare_name(user) in RESHAPES and _is_by_tensor(user, graph)

    return tuple(
        product for product, last in layers(graph) if graph.leads(last, is_reshaped, is_taken_in)
    )


RULE = Rule(
    id="CL619",
    title="a fully connected layer whose result is reshaped by a tensor, oneDNN, legacy program",
    when=(replace(LEGACY_ON_CPU, operators=(OperatorPattern(RESHAPES, where=_is_by_tensor),)),),
    action=Action.DELETE_PASSES,
    explanation=(
        "`linear(x).reshape(paddle.shape(y))`: the pass takes the reshape into the layer, with "
        "the shape that stands in its attribute, which is none, and not the tensor. The result "
        "keeps the layer's shape, without an error, or what comes next fails. Sizes that are "
        "told one by one (`[x.shape[0], -1, 4]`) are right."
    ),
    without="wrong",
    evidence=(
        Evidence("measured", "linear(x).reshape(paddle.shape(y)): `dimensions are invalid`, 2.6.2"),
        Evidence("measured", "the same on 3.0.0, 3.1.1, 3.2.2 and 3.3.1: the shape of linear(x)"),
        Evidence(
            "measured",
            "behind relu, clip, gelu, dropout, a factor: the same; behind exp, softmax, "
            "layer_norm, slice, conv2d, scale with a bias: right",
        ),
    ),
    parameters=("operator_reshape2_onednn_fuse_pass",),
    alone=(
        Alone(674, "error", replace(LEGACY_ON_CPU, paddle="<3.0"), _unshaped),
        Alone(675, "wrong", replace(LEGACY_ON_CPU, paddle=">=3.0"), _unshaped),
    ),
)
