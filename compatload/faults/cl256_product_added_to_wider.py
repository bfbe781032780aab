"""CL256: a matrix product added to a larger tensor, oneDNN."""

from __future__ import annotations

from dataclasses import replace

from compatload.artifact.model import Format, Operator
from compatload.faults.graph import FIRST, SECOND, Graph, bare_name, operand
from compatload.faults.model import Action, Alone, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import (
    ADDING_PASSES,
    ADDITIONS,
    LEGACY_ON_CPU,
    PIR_ON_CPU,
    PRODUCTS,
    is_by_weight,
)
from compatload.faults.sizes import origin

_UNKNOWN = -1


def _products(added: Operator, graph: Graph) -> list[tuple[Operator, str, str]]:
    """Products that only this addition reads, with their result and what is added to it."""
    first, second = operand(added, FIRST), operand(added, SECOND)
    if first is None or second is None or first == second or graph.dtype(first) == "float64":
        return []
    pairs = ((graph.producer(one), one, other) for one, other in ((first, second), (second, first)))
    return [
        (maker, one, other)
        for maker, one, other in pairs
        if maker is not None and bare_name(maker) in PRODUCTS and graph.sole_user(maker) is added
    ]


def _is_by_vector(product: Operator, graph: Graph) -> bool:
    return any(
        len(graph.shape(operand(product, slots)) or (0, 0)) == 1 for slots in (FIRST, SECOND)
    )


def _is_by_matrix(product: Operator, graph: Graph) -> bool:
    """Whether it is by a stored matrix, transposed or not."""
    weight = operand(product, SECOND)
    return graph.is_stored(weight) and len(graph.shape(weight) or ()) == 2


def _is_stretched(graph: Graph, made: str, other: str) -> bool:
    """Whether the sum is surely larger than the product, wherever a size is not one by chance."""
    sizes, wanted = graph.shape(made), graph.shape(other)
    if sizes is None or wanted is None:
        return False
    pairs = zip(reversed(sizes), reversed(wanted))
    return len(wanted) > len(sizes) or any(size == 1 != want for size, want in pairs)


def _may_be_stretched(graph: Graph, made: str, other: str) -> bool:
    """Whether a size that only a run tells may be one, where that of the other may be larger."""
    sizes, wanted = graph.shape(made) or (), graph.shape(other) or ()
    return any(
        sizes[-end] == _UNKNOWN
        and wanted[-end] != 1
        and (
            wanted[-end] != _UNKNOWN
            or origin(graph, made, len(sizes) - end) != origin(graph, other, len(wanted) - end)
        )
        for end in range(1, min(len(sizes), len(wanted)) + 1)
    )


def _surely(added: Operator, graph: Graph) -> bool:
    return any(
        _is_by_vector(product, graph) or _is_stretched(graph, made, other)
        for product, made, other in _products(added, graph)
    )


def _in_legacy(added: Operator, graph: Graph) -> bool:
    """Another operator is made of a product by a weight as it is stored."""
    return any(
        not is_by_weight(product, graph)
        and (_is_by_vector(product, graph) or _is_stretched(graph, made, other))
        for product, made, other in _products(added, graph)
    )


def _in_pir(added: Operator, graph: Graph) -> bool:
    """Of two computed operands, which attention adds a mask to, free sizes are taken to fit."""
    return _surely(added, graph) or any(
        _is_by_matrix(product, graph) and _may_be_stretched(graph, made, other)
        for product, made, other in _products(added, graph)
    )


def _wrong(graph: Graph, release: str) -> tuple[Operator, ...]:
    legacy = graph.artifact.format is not Format.PIR
    sees = _in_legacy if legacy else _surely
    return tuple(one for one in graph.named(ADDITIONS) if sees(one, graph))


_PIR = replace(PIR_ON_CPU, operators=(OperatorPattern(ADDITIONS, where=_in_pir),))

RULE = Rule(
    id="CL256",
    title="a matrix product added to a larger tensor, oneDNN",
    when=(
        replace(LEGACY_ON_CPU, operators=(OperatorPattern(ADDITIONS, where=_in_legacy),)),
        _PIR,
    ),
    action=Action.DELETE_PASSES,
    explanation=(
        "The pass takes an addition into the matrix product before it, whose result keeps its own "
        "shape: where the other operand is larger, of `[B, 1, N] + [B, L, N]` one row of each is "
        "given back, without an error. A product by a vector gets other numbers. A product by a "
        "stored matrix is another operator in legacy programs, and right."
    ),
    without="wrong",
    evidence=(
        Evidence("measured", "tanh(linear(q) + linear(k)) without biases, q of [B, 1, 4]: 3.0.0"),
        Evidence("measured", "the same on 3.3.1; matmul(x, x) + y, x of [B, 1, 4, 4], on all"),
        Evidence("measured", "matmul(x, v) + y, v of [4]: 0.46 on 2.6.2, 3.0.0 and 3.3.1"),
        Evidence("measured", "matmul(x, w, transpose_y=True) + y of more axes, legacy: 3.3.1"),
        Evidence("measured", "with scale, reshape, transpose or relu between the two: right"),
    ),
    parameters=ADDING_PASSES,
    alone=(
        Alone(598, sees=_wrong),
        Alone(667, when=_PIR, by_data=True),
    ),
)
