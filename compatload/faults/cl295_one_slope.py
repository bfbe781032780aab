"""CL295: prelu of one slope behind what oneDNN holds with more axes, oneDNN."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from compatload.artifact.model import Format, Operator
from compatload.faults.graph import FIRST, SECOND, Graph, bare_name, operand, result
from compatload.faults.model import Action, Alone, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import (
    CONVOLUTIONS,
    LEGACY_ON_CPU,
    MATRIX_PRODUCTS,
    PIR_ON_CPU,
    PRODUCTS,
    bias_of,
    is_by_weight,
)

_PRELU = frozenset({"prelu"})
# A slice that takes one place takes its axis as well.
_SQUEEZING = frozenset({"slice", "squeeze", "squeeze2"})
_RESHAPING = _SQUEEZING | {"flatten", "flatten2", "flatten_contiguous_range", "reshape", "reshape2"}
_LONGEST_CHAIN = 8
_MATRIX = 2


def _reshaped(prelu: Operator, graph: Graph) -> Operator | None:
    """What has taken axes from its operand, or has made one of two axes, if it has one slope."""
    if prelu.attributes.get("mode") != "all":
        return None
    return next((one for one in _above(prelu, graph) if _has_more_axes(one, graph)), None)


def _above(operator: Operator, graph: Graph) -> Iterator[Operator]:
    """What its first operand was computed by, up to a layer, which is the last."""
    for _ in range(_LONGEST_CHAIN):
        maker = graph.producer(operand(operator, FIRST))
        if maker is None:
            return
        yield maker
        if bare_name(maker) in CONVOLUTIONS | MATRIX_PRODUCTS:
            return
        operator = maker


def _has_more_axes(maker: Operator, graph: Graph) -> bool:
    if bare_name(maker) in _RESHAPING:
        return _less(maker, graph)
    if bare_name(maker) not in PRODUCTS or len(graph.shape(result(maker)) or ()) != _MATRIX:
        return False
    return not _is_layer(maker, graph)


def _is_layer(product: Operator, graph: Graph) -> bool:
    """Whether passes make one operator of it and of its bias, which keeps its axes."""
    added = bias_of(product, graph)
    bias = graph.shape(operand(added, SECOND)) if added is not None else None
    made = graph.shape(result(product))
    return bias is not None and made is not None and bias[-1:] == made[-1:]


def _less(reshaping: Operator, graph: Graph) -> bool:
    before = graph.shape(operand(reshaping, FIRST))
    results = reshaping.outputs.get("0") or reshaping.outputs.get("Out") or ()
    after = graph.shape(next(iter(results), None))
    return before is None or after is None or len(after) < len(before)


def _is_of_fewer_axes(prelu: Operator, graph: Graph) -> bool:
    return _reshaped(prelu, graph) is not None


def _unwritten(graph: Graph, release: str) -> tuple[Operator, ...]:
    """In legacy programs a squeeze alone, and products that no pass makes a layer of."""
    found = ((one, _reshaped(one, graph)) for one in graph.named(_PRELU))
    return tuple(one for one, by in found if by is not None and _is_unwritten(by, graph))


def _is_unwritten(by: Operator, graph: Graph) -> bool:
    if graph.artifact.format is Format.PIR:
        return True
    if bare_name(by) in PRODUCTS:
        return not is_by_weight(by, graph)
    return bare_name(by) in _SQUEEZING


_PATTERNS = (OperatorPattern(_PRELU, where=_is_of_fewer_axes),)

RULE = Rule(
    id="CL295",
    title="prelu of one slope behind what oneDNN holds with more axes, oneDNN",
    when=(replace(LEGACY_ON_CPU, operators=_PATTERNS), replace(PIR_ON_CPU, operators=_PATTERNS)),
    action=Action.REWRITE,
    explanation=(
        "Behind a squeeze, a reshape to fewer axes, one place of an axis (`x[:, -1]`), or a "
        "product of two axes that is no layer with a bias (nn.Linear(bias_attr=False)), oneDNN's "
        "prelu with one slope, which nn.PReLU() has, computes the beginning of its result alone: "
        "the rest is what lay in memory before, up to 1e38, without an error. F.pad of an image "
        "ends in a squeeze. The prelu reads a copy that is no tensor of oneDNN's."
    ),
    without="wrong",
    evidence=(
        Evidence("measured", "prelu(pad(x)), prelu(squeeze(relu(x), 2)): 2.6.2, 3.0.0 and 3.3.1"),
        Evidence("measured", "prelu(x[:, -1]): 2.6.2, 3.0.0 and 3.3.1"),
        Evidence("measured", "prelu(flatten(relu(x), 1)): 3.0.0 and 3.3.1; right in 2.6.2"),
        Evidence(
            "measured",
            "prelu(linear(x)) without a bias, of two axes, also with batch_norm, tanh or a factor "
            "between: 3.0.0, 3.2.2 and 3.3.1 from PIR; legacy: matmul(x, w, transpose_y=True), "
            "2.6.2 and 3.3.1, AMD EPYC with AVX-512",
        ),
        Evidence("measured", "a slope for each channel, or behind other operators: right"),
    ),
    module="compatload.programs.rewritings.own_operand",
    alone=(Alone(554, sees=_unwritten),),
)
