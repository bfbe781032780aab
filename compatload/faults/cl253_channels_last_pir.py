"""CL253: operator with channels last, oneDNN, PIR program."""

from __future__ import annotations

from dataclasses import replace

from compatload.artifact.model import Operator
from compatload.faults.graph import FIRST, SECOND, Graph, bare_name, operand
from compatload.faults.model import Action, Alone, Evidence, Rule
from compatload.faults.onednn import (
    ACTIVATED_CONVOLUTIONS,
    ADDITIONS,
    BINARY,
    CHANNELS_LAST,
    CONVOLUTIONS,
    FUSED_ACTIVATIONS,
    NORMALISATION,
    PIR_ON_CPU,
    PRODUCTS,
    binary_of,
    is_channels_last,
    misread,
    of_other_ranks,
)

# What a pass takes into a convolution behind its bias.
_FUSED = FUSED_ACTIVATIONS - {"swish"}
# Computed by oneDNN, which is told of no channels there.
_UNTOLD = _FUSED | {
    *("concat", "elu", "exp", "floor", "layer_norm", "log", "reshape", "round", "rsqrt", "scale"),
    *("slice", "softmax", "split", "split_with_num", "squeeze", "stack", "transpose", "unsqueeze"),
}
_POOLS = frozenset({"pool2d", "max_pool2d_with_index"})
_TOLD = CONVOLUTIONS | _POOLS | NORMALISATION


def _is_told(value: str | None, graph: Graph) -> bool:
    """Whether it comes of an operator with channels last, by what keeps their order."""
    maker = graph.producer(value)
    if maker is None:
        return False
    name = bare_name(maker)
    if name in _TOLD and is_channels_last(maker, graph):
        return True
    return name in FUSED_ACTIVATIONS | BINARY | {"scale"} and _is_told(operand(maker, FIRST), graph)


def _is_untold(value: str | None, graph: Graph, release: str) -> bool:
    """Whether oneDNN computes it, alone or to be normalised, and knows of no channels there."""
    maker = graph.producer(value)
    if maker is None or _is_told(operand(maker, FIRST), graph):
        return False
    name = bare_name(maker)
    if name in NORMALISATION:
        return _is_untold(operand(maker, FIRST), graph, release)
    if name in binary_of(graph, release):
        of_product = bare_name(graph.producer(operand(maker, FIRST)) or maker) in PRODUCTS
        return _is_constant(operand(maker, SECOND), graph) and not of_product
    return name in _UNTOLD


def _is_constant(value: str | None, graph: Graph) -> bool:
    return value is not None and graph.is_computed_once(value)


def _reads_untold(graph: Graph, release: str, names: frozenset[str]) -> list[Operator]:
    return [
        one
        for one in graph.named(names)
        if is_channels_last(one, graph) and _is_untold(operand(one, FIRST), graph, release)
    ]


def _has_too_much(convolution: Operator, graph: Graph) -> bool:
    """Whether it has a bias, and what a pass takes in behind it; or a number for each channel that
    is no bias."""
    bias = graph.sole_user(convolution)
    if bias is None or not _is_constant(operand(bias, SECOND), graph):
        return False
    if bare_name(bias) not in ADDITIONS:
        return bare_name(bias) in BINARY
    behind = graph.sole_user(bias)
    return behind is not None and (
        bare_name(behind) in _FUSED
        or graph.factor(behind) not in (None, 1.0)
        or (bare_name(behind) in BINARY and _is_constant(operand(behind, SECOND), graph))
    )


def _refused(graph: Graph, release: str) -> tuple[Operator, ...]:
    """Convolutions that take their height for channels, or more than they can."""
    full = (
        one
        for one in graph.named(ACTIVATED_CONVOLUTIONS)
        if is_channels_last(one, graph) and _has_too_much(one, graph)
    )
    return (*_reads_untold(graph, release, CONVOLUTIONS), *full)


def _pooled(graph: Graph, release: str) -> tuple[Operator, ...]:
    return tuple(_reads_untold(graph, release, _POOLS))


RULE = Rule(
    id="CL253",
    title="operator with channels last, oneDNN, PIR program",
    when=(replace(PIR_ON_CPU, operators=CHANNELS_LAST),),
    action=Action.DISABLE_ONEDNN,
    explanation=(
        "oneDNN keeps channels first and turns its values back where they leave it, but what it "
        "runs next, such as a reshape, a concat or a softmax, takes their axes as they lie: other "
        "numbers, other shapes or an error. Without the placement pass shapes stay wrong."
    ),
    without="wrong",
    evidence=(
        Evidence("measured", "conv2d NHWC and reshape, flatten, layer_norm, softmax: wrong, 3.x"),
        Evidence("measured", "and transpose, matmul, pad, concat: an error on 3.0.0 to 3.3.1"),
        Evidence("measured", "pool2d, batch_norm, group_norm, conv2d_transpose alike"),
        Evidence("measured", "relu(x), x * 0.5, x + v, then conv2d: an error, 3.0.0 to 3.3.1"),
        Evidence("measured", "conv2d with a bias and relu, gelu, * 2: an error; without: right"),
        Evidence("measured", "x * weight of one axis beside a pool: an error on 3.0.0, 3.3.1"),
        Evidence("measured", "interpolate and pad by themselves: an error on 3.3.1"),
    ),
    alone=(
        Alone(512, sees=misread),
        Alone(721, "error", sees=_refused),
        Alone(722, "wrong", sees=_pooled),
        Alone(729, "error", sees=of_other_ranks),
    ),
)
