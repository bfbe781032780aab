"""CL633: a convolution and a normalisation by the statistics of the batch."""

from __future__ import annotations

from dataclasses import replace

from compatload.artifact.model import Format, Operator
from compatload.faults.graph import Graph, bare_name
from compatload.faults.model import (
    LEGACY_PREDICTOR,
    PIR_PREDICTOR,
    Action,
    Alone,
    Evidence,
    OperatorPattern,
    Rule,
)
from compatload.faults.onednn import ADDITIONS, CONVOLUTIONS, NORMALISATION

_TRANSPOSED = frozenset({"conv2d_transpose", "depthwise_conv2d_transpose"})


def _is_of_the_batch(operator: Operator, graph: Graph) -> bool:
    trained = operator.attributes.get("trainable_statistics", False)
    return bool(trained) and not operator.attributes.get("use_global_stats", False)


def _folded(graph: Graph, release: str) -> tuple[Operator, ...]:
    """Convolutions that nothing else reads; of legacy programs, those without a bias."""
    return tuple(
        one
        for one in graph.named(CONVOLUTIONS - _TRANSPOSED)
        if (user := _behind(one, graph)) is not None
        if bare_name(user) in NORMALISATION and _is_of_the_batch(user, graph)
    )


def _activated(graph: Graph, release: str) -> tuple[Operator, ...]:
    """The pass that takes in an activation asks for an output that the file lacks."""
    return tuple(
        one
        for one in graph.named(NORMALISATION)
        if _is_of_the_batch(one, graph) and not one.outputs.get("ReserveSpace")
        if (user := graph.sole_user(one, "Y")) is not None and bare_name(user) == "relu"
    )


def _behind(convolution: Operator, graph: Graph) -> Operator | None:
    user = graph.sole_user(convolution)
    is_added = user is not None and bare_name(user) in ADDITIONS
    if user is None or not is_added or graph.artifact.format is not Format.PIR:
        return user
    return graph.sole_user(user)


_PATTERN = OperatorPattern(NORMALISATION, where=_is_of_the_batch)

RULE = Rule(
    id="CL633",
    title="a convolution and a normalisation by the statistics of the batch",
    when=(
        replace(LEGACY_PREDICTOR, operators=(_PATTERN,)),
        replace(PIR_PREDICTOR, operators=(_PATTERN,)),
    ),
    action=Action.DELETE_PASSES,
    explanation=(
        "BatchNorm2D(use_global_stats=False) takes the statistics of the batch when it is not "
        "trained, too. The passes that fold a normalisation into the weights of a convolution "
        "take the stored statistics without a look at that. They are left out."
    ),
    without="wrong",
    evidence=(
        Evidence(
            "measured",
            "bn(Conv2D(4, 4, 1, bias_attr=False)(x)): 2.4 on 2.6.2 and 3.3.1, legacy and PIR",
        ),
        Evidence("measured", "the operator by itself, and the layer: right"),
    ),
    parameters=(
        *("conv_bn_fuse_pass", "conv_eltwiseadd_bn_fuse_pass", "conv_transpose_bn_fuse_pass"),
        *("conv_transpose_eltwiseadd_bn_fuse_pass", "conv2d_bn_fuse_pass"),
        *("conv2d_bn_onednn_fuse_pass", "conv2d_bias_bn_onednn_fuse_pass"),
        *("conv2d_transpose_bn_fuse_pass", "conv2d_transpose_bias_bn_fuse_pass"),
    ),
    alone=(
        Alone(713, "wrong", sees=_folded),
        Alone(718, "error", when=LEGACY_PREDICTOR, sees=_activated),
    ),
)
