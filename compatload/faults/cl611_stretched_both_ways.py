"""CL611: a product of what is stretched both ways, oneDNN."""

from __future__ import annotations

from collections.abc import Iterator

from compatload.artifact.model import Format, Operator
from compatload.faults.graph import FIRST, SECOND, Graph, bare_name, operand, result
from compatload.faults.model import Action, Alone, Evidence, Rule
from compatload.faults.onednn import (
    BINARY,
    FUSED_ACTIVATIONS,
    IN_ONEDNN,
    PRODUCTS,
    binary_in_onednn,
    binary_of,
    is_by_weight,
    is_smaller,
    layers,
)

# Leave the memory of what they are given as it lies. Slices, transposes, reshapes and what oneDNN
# does not compute put it in order.
_KEEPING = FUSED_ACTIVATIONS | {
    *("add_n", "batch_norm", "combine", "concat", "elu", "exp", "layer_norm", "log_softmax"),
    *("max", "mean", "min", "pool2d", "prelu", "round", "scale", "softmax", "softplus", "split"),
    *("split_with_num", "stack", "sum"),
    *("reduce_max", "reduce_mean", "reduce_min", "reduce_sum"),
}
_READING = PRODUCTS | {"yield"}  # what leaves a block may be multiplied behind it
_PASSED = _KEEPING | BINARY
_FEWEST_AXES = 3
_UNKNOWN = -1
_Sizes = tuple[int, ...]


def _sizes(operator: Operator, graph: Graph) -> tuple[_Sizes, _Sizes] | None:
    """Of both operands, with as many axes."""
    first, second = (graph.shape(operand(operator, slots)) for slots in (FIRST, SECOND))
    if first is None or second is None:
        return None
    missing = len(second) - len(first)
    return (1,) * missing + first, (1,) * -missing + second


def _leaders(sizes: tuple[_Sizes, _Sizes]) -> Iterator[int]:
    """The operand whose memory the result is laid out like: the larger one, or, where a run has to
    tell, either."""
    first, second = sizes
    if not is_smaller(first, second):
        yield 0
    if is_smaller(first, second) or not (is_smaller(second, first) or first == second):
        yield 1


def _is_turned(leader: _Sizes, other: _Sizes) -> bool:
    """Whether a larger axis may be laid out around a smaller one in front of it.

    An axis of size 1 takes steps as wide as the one before it. Axes of equal steps are sorted by
    the sizes that they are stretched to.
    """
    before: list[int] = []
    for own, another in zip(leader, other):
        size = another if own == 1 else own
        if own != 1:
            before = []
        elif size != 1 and any(_UNKNOWN in (one, size) or one < size for one in before):
            return True
        before += [] if size == 1 else [size]
    return False


def _turns(operator: Operator, graph: Graph) -> bool:
    """Whether the memory of its result may be laid out in another order than its axes."""
    sizes = _sizes(operator, graph)
    if sizes is None or len(sizes[0]) < _FEWEST_AXES:
        return False
    if graph.dtype(operand(operator, FIRST)) not in IN_ONEDNN:
        return False
    return any(_is_turned(sizes[one], sizes[1 - one]) for one in _leaders(sizes))


def _is_multiplied(operator: Operator, graph: Graph) -> bool:
    """Whether it turns its result, and a matrix product may read that."""
    return _turns(operator, graph) and graph.leads(
        operator,
        lambda user: bare_name(user) in _READING,
        lambda user: bare_name(user) in _PASSED,
    )


def _is_put_in_order(product: Operator, graph: Graph, biased: set[int]) -> bool:
    """Whether it puts in order what it reads: by a stored matrix, in PIR programs with a bias, and
    in legacy ones by what has as many axes."""
    if graph.artifact.format is Format.PIR:
        return id(product) in biased
    ranks = {len(graph.shape(operand(product, slots)) or ()) for slots in (FIRST, SECOND)}
    return len(ranks) == 1 or is_by_weight(product, graph)


def _mistaken(graph: Graph, release: str) -> tuple[Operator, ...]:
    binary = binary_of(graph, release)
    if not any(_turns(one, graph) for one in graph.named(binary)):
        return ()
    biased = {id(product) for product, _ in layers(graph)}
    turned: set[str | None] = set()
    found = []
    for one in graph.operators:
        name = bare_name(one)
        if name in PRODUCTS:
            read = any(not turned.isdisjoint(v) for v in one.inputs.values())
            if read and not _is_put_in_order(one, graph, biased):
                found.append(one)
        elif name in binary:
            sizes = _sizes(one, graph)
            leader = next(_leaders(sizes)) if sizes else 0
            if _turns(one, graph) or operand(one, (FIRST, SECOND)[leader]) in turned:
                turned.add(result(one))
        elif name in _KEEPING and any(not turned.isdisjoint(v) for v in one.inputs.values()):
            turned.update(value for values in one.outputs.values() for value in values)
    return tuple(found)


RULE = Rule(
    id="CL611",
    title="product of what is stretched both ways, oneDNN",
    when=binary_in_onednn(_is_multiplied),
    action=Action.REWRITE,
    explanation=(
        "oneDNN lays the sum of `[N, 1, L, C]` and `[N, 8, 1, C]` out like the larger one of them, "
        "and of its axes of equal steps it puts the larger one in front: the 8 around the N. What "
        "follows is told so, but a matrix product reads it in the order of its axes (in legacy "
        "programs only one by what has fewer axes). Additive attention, features of pairs, masks "
        "of two kinds are such sums. The sum is copied, which puts it in order."
    ),
    without="wrong",
    evidence=(
        Evidence("measured", "(a + b) @ w, [2, 1, 30, 16] and [2, 8, 1, 16]: 5.3, 3.0.0, 3.3.1"),
        Evidence("measured", "minus, times; relu, exp, softmax, concat between: the same"),
        Evidence("measured", "[2, 1, 16] and [2, 5, 1]: the same; [2, 30, 1]: right"),
        Evidence("measured", "a batch of one, linear with a bias, slice or reshape between: right"),
        Evidence("measured", "legacy, 2.6.2 and 3.3.1: by a computed matrix wrong as well"),
        Evidence("measured", "SRN's parallel attention (matrix.blind), 3.3.1: off by 0.55"),
    ),
    module="compatload.programs.rewritings.put_in_order",
    alone=(Alone(654, sees=_mistaken),),
)
