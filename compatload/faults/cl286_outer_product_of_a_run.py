"""CL286: outer product with a transposed operand that cannot be reshaped, oneDNN, 3.x."""

from __future__ import annotations

from dataclasses import replace

from compatload.artifact.model import Operator
from compatload.faults.cl257_transposed_outer_product import (
    HAS,
    exchanges_last_two,
    is_of_one,
    summed,
)
from compatload.faults.graph import Graph, bare_name
from compatload.faults.model import Action, Alone, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import LEGACY_ON_CPU, PIR_ON_CPU, PRODUCTS, TRANSPOSITIONS
from compatload.faults.sizes import origin

_SLICES = frozenset({"slice", "strided_slice"})
_UNKNOWN = -1


def _cannot_be_reshaped(product: Operator, graph: Graph) -> bool:
    """Whether the axis is a slice that only a run measures, or is brought there from elsewhere."""
    place = summed(product, graph)
    if place is None:
        return False
    value, axis = place
    maker = graph.producer(origin(graph, value, axis)[0])
    if (graph.shape(value) or ())[axis] == _UNKNOWN:
        return maker is not None and bare_name(maker) in _SLICES
    return is_of_one(product, graph) and _is_brought(value, axis, graph)


def _is_brought(value: str, axis: int, graph: Graph) -> bool:
    """Whether a transposition of other axes than the last two makes the operand as it is read."""
    maker = graph.producer(value)
    by_operator = axis == len(graph.shape(value) or ()) - 2
    return (
        by_operator
        and maker is not None
        and bare_name(maker) in TRANSPOSITIONS
        and not exchanges_last_two(maker)
    )


_OUTER = (OperatorPattern(PRODUCTS, where=_cannot_be_reshaped),)

RULE = Rule(
    id="CL286",
    title="outer product with a transposed operand that cannot be reshaped, oneDNN, 3.x",
    when=(
        replace(LEGACY_ON_CPU, paddle=">=3.0", cpu_has=HAS, operators=_OUTER),
        replace(PIR_ON_CPU, cpu_has=HAS, operators=_OUTER),
    ),
    action=Action.DISABLE_ONEDNN,
    explanation=(
        "As CL257, where only a run tells that there is one column (`x[:n]`), or where it was "
        "brought there from between other axes: oneDNN is switched off."
    ),
    without="wrong",
    evidence=(
        Evidence("measured", "matmul(y[:1].t(), x[:1].t(), transpose_y=True): 3.0.0 and 3.3.1"),
    ),
    alone=(Alone(666, by_data=True),),
)
