"""CL257: outer product with a transposed operand, oneDNN, 3.x."""

from __future__ import annotations

from dataclasses import replace

from compatload.artifact.model import Operator
from compatload.faults.graph import SECOND, Graph, bare_name, operand
from compatload.faults.model import Action, Alone, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import LEGACY_ON_CPU, PIR_ON_CPU, PRODUCTS
from compatload.faults.sizes import origin

_TURNED = ("trans_y", "transpose_y", "transpose_Y")
_TRANSPOSITIONS = frozenset({"transpose", "transpose2"})
_SLICES = frozenset({"slice", "strided_slice"})


def _summed(product: Operator, graph: Graph) -> tuple[str, int] | None:
    """The second operand and its axis that a product goes along, if it is transposed, by itself or
    by an operator before, which passes take in."""
    second = operand(product, SECOND)
    shape, maker = graph.shape(second) or (), graph.producer(second)
    if second is None or len(shape) < 2 or graph.dtype(second) == "float64":
        return None
    if any(product.attributes.get(name) for name in _TURNED):
        return second, len(shape) - 1
    transposed = maker is not None and bare_name(maker) in _TRANSPOSITIONS
    return (second, len(shape) - 2) if transposed else None


def _is_of_one(product: Operator, graph: Graph) -> bool:
    place = _summed(product, graph)
    return place is not None and (graph.shape(place[0]) or ())[place[1]] == 1


def _may_be_of_one(product: Operator, graph: Graph) -> bool:
    """Whether the axis is of one, or a slice that only a run measures."""
    place = _summed(product, graph)
    if place is None or (graph.shape(place[0]) or ())[place[1]] not in (1, -1):
        return False
    maker = graph.producer(origin(graph, *place)[0])
    sliced = maker is not None and bare_name(maker) in _SLICES
    return sliced or _is_of_one(product, graph)


def _wrong(graph: Graph, release: str) -> tuple[Operator, ...]:
    return tuple(one for one in graph.named(PRODUCTS) if _is_of_one(one, graph))


_HAS = frozenset({"avx512f"})
_OUTER = (OperatorPattern(PRODUCTS, where=_may_be_of_one),)

RULE = Rule(
    id="CL257",
    title="outer product with a transposed operand, oneDNN, 3.x",
    when=(
        replace(LEGACY_ON_CPU, paddle=">=3.0", cpu_has=_HAS, operators=_OUTER),
        replace(PIR_ON_CPU, cpu_has=_HAS, operators=_OUTER),
    ),
    action=Action.DISABLE_ONEDNN,
    explanation=(
        "Of a matrix with one column, strides do not tell whether it is transposed. oneDNN 3 takes "
        "it for the other and reads what was in memory before: other numbers at each run, up to "
        "1e37 or NaN, without an error. Attention masks are made so: matmul(mask, mask, "
        "transpose_y=True). What is fused with such a product runs in oneDNN alone; 2.6 is right, "
        "and so are CPUs without AVX-512, whose kernels are others."
    ),
    without="wrong",
    evidence=(
        Evidence("measured", "matmul(x, x, transpose_y=True), x of [B, 6, 1]: 3.0.0 and 3.3.1"),
        Evidence("measured", "matmul(x, transpose(x)), which a pass makes the same: both"),
        Evidence(
            "measured", "outer_transposed and four more on an AMD EPYC without AVX-512: right"
        ),
        Evidence("measured", "not transposed, or the first operand alone: right on both"),
    ),
    alone=(Alone(599, sees=_wrong),),
)
