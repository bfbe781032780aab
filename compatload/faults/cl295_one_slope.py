"""CL295: prelu of one slope behind an operator that takes axes away, oneDNN."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from compatload.artifact.model import Format, Operator
from compatload.faults.graph import FIRST, Graph, bare_name, operand
from compatload.faults.model import Action, Alone, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import CONVOLUTIONS, LEGACY_ON_CPU, MATRIX_PRODUCTS, PIR_ON_CPU

_PRELU = frozenset({"prelu"})
_SQUEEZING = frozenset({"squeeze", "squeeze2"})
_RESHAPING = _SQUEEZING | {"flatten", "flatten2", "flatten_contiguous_range", "reshape", "reshape2"}
_LONGEST_CHAIN = 8


def _reshaped(prelu: Operator, graph: Graph) -> Operator | None:
    """What has taken axes from its operand, if it has one slope."""
    if prelu.attributes.get("mode") != "all":
        return None
    return next(
        (one for one in _above(prelu, graph) if bare_name(one) in _RESHAPING and _less(one, graph)),
        None,
    )


def _above(operator: Operator, graph: Graph) -> Iterator[Operator]:
    """What its first operand was computed by, up to a layer."""
    for _ in range(_LONGEST_CHAIN):
        maker = graph.producer(operand(operator, FIRST))
        if maker is None or bare_name(maker) in CONVOLUTIONS | MATRIX_PRODUCTS:
            return
        yield maker
        operator = maker


def _less(reshaping: Operator, graph: Graph) -> bool:
    before = graph.shape(operand(reshaping, FIRST))
    results = reshaping.outputs.get("0") or reshaping.outputs.get("Out") or ()
    after = graph.shape(next(iter(results), None))
    return before is None or after is None or len(after) < len(before)


def _is_of_fewer_axes(prelu: Operator, graph: Graph) -> bool:
    return _reshaped(prelu, graph) is not None


def _unwritten(graph: Graph, release: str) -> tuple[Operator, ...]:
    """In legacy programs a squeeze alone."""
    names = _RESHAPING if graph.artifact.format is Format.PIR else _SQUEEZING
    found = ((one, _reshaped(one, graph)) for one in graph.named(_PRELU))
    return tuple(one for one, by in found if by is not None and bare_name(by) in names)


_PATTERNS = (OperatorPattern(_PRELU, where=_is_of_fewer_axes),)

RULE = Rule(
    id="CL295",
    title="prelu of one slope behind an operator that takes axes away, oneDNN",
    when=(replace(LEGACY_ON_CPU, operators=_PATTERNS), replace(PIR_ON_CPU, operators=_PATTERNS)),
    action=Action.REWRITE,
    explanation=(
        "Behind a squeeze, or a reshape to fewer axes, oneDNN's prelu with one slope, which "
        "nn.PReLU() has, computes the beginning of its result alone: the rest is what lay in "
        "memory before, up to 1e38, without an error. F.pad of an image ends in a squeeze. The "
        "prelu reads a copy that is no tensor of oneDNN's."
    ),
    without="wrong",
    evidence=(
        Evidence("measured", "prelu(pad(x)), prelu(squeeze(relu(x), 2)): 2.6.2, 3.0.0 and 3.3.1"),
        Evidence("measured", "prelu(flatten(relu(x), 1)): 3.0.0 and 3.3.1; right in 2.6.2"),
        Evidence("measured", "a slope for each channel, or behind other operators: right"),
    ),
    module="compatload.programs.rewritings.own_operand",
    alone=(Alone(554, sees=_unwritten),),
)
