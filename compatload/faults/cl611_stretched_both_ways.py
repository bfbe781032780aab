"""CL611: a product of what is stretched both ways, oneDNN."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from math import prod

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
# Sizes that stand for unknown ones, and up to how many of these are tried beside the known ones.
_TRIED, _MOST_FREE = frozenset({1, 2, 3, 64}), 2
_Sizes = tuple[int, ...]


def _sizes(operator: Operator, graph: Graph) -> tuple[_Sizes, _Sizes] | None:
    """Of both operands, with as many axes."""
    first, second = (graph.shape(operand(operator, slots)) for slots in (FIRST, SECOND))
    if first is None or second is None:
        return None
    missing = len(second) - len(first)
    return (1,) * missing + first, (1,) * -missing + second


def _runs(sizes: tuple[_Sizes, _Sizes]) -> Iterator[tuple[_Sizes, _Sizes]]:
    """Both, with what only a run tells put in: sizes around those that are known, and others."""
    known = {size + step for one in sizes for size in one if size > 1 for step in (-1, 0, 1)}
    axes = [axis for axis, pair in enumerate(zip(*sizes)) if _UNKNOWN in pair]
    tried = sorted(known - {1} | _TRIED) if len(axes) <= _MOST_FREE else sorted(_TRIED)
    for values in product(tried, repeat=len(axes)):
        told = dict(zip(axes, values))
        first, second = (
            tuple(told[axis] if size == _UNKNOWN else size for axis, size in enumerate(one))
            for one in sizes
        )
        yield first, second


def _leader(sizes: tuple[_Sizes, _Sizes]) -> int:
    """The operand whose memory the result is laid out like: the larger one."""
    return int(prod(sizes[0]) < prod(sizes[1]))


def _leaders(sizes: tuple[_Sizes, _Sizes] | None) -> set[int]:
    return set(map(_leader, _runs(sizes))) if sizes else {0}


def _is_turned(leader: _Sizes, other: _Sizes) -> bool:
    """Whether a larger axis is laid out around a smaller one in front of it.

    An axis of size 1 takes steps as wide as the one before it. Axes of equal steps are sorted by
    the sizes that they are stretched to.
    """
    before: list[int] = []
    for own, another in zip(leader, other):
        size = another if own == 1 else own
        if own != 1:
            before = []
        elif any(one < size for one in before):
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
    if not all(any(map(_is_stretched, one, other)) for one, other in (sizes, sizes[::-1])):
        return False
    runs = ((pair, _leader(pair)) for pair in _runs(sizes))
    return any(_is_turned(pair[one], pair[1 - one]) for pair, one in runs)


def _is_stretched(own: int, another: int) -> bool:
    return own == 1 != another


def _is_multiplied(operator: Operator, graph: Graph) -> bool:
    """Whether it turns its result, and a matrix product may read that."""
    return _turns(operator, graph) and graph.leads(
        operator,
        lambda user: bare_name(user) in _READING,
        lambda user: bare_name(user) in _PASSED,
    )


def _reading(graph: Graph, release: str) -> list[Operator]:
    """Products that read what is turned."""
    binary = binary_of(graph, release)
    if not any(_turns(one, graph) for one in graph.named(binary)):
        return []
    turned: set[str | None] = set()
    found = []
    for one in graph.operators:
        name = bare_name(one)
        if name in binary:
            leaders = _leaders(_sizes(one, graph))
            if _turns(one, graph) or any(
                operand(one, (FIRST, SECOND)[leader]) in turned for leader in leaders
            ):
                turned.add(result(one))
        elif any(not turned.isdisjoint(values) for values in one.inputs.values()):
            if name in PRODUCTS:
                found.append(one)
            elif name in _KEEPING:
                turned.update(value for values in one.outputs.values() for value in values)
    return found


def _mistaken(graph: Graph, release: str) -> tuple[Operator, ...]:
    """Products that do not put in order what they read: one by a stored matrix does, in PIR
    programs one with a bias."""
    biased = {id(one) for one, _ in layers(graph)}
    is_pir = graph.artifact.format is Format.PIR
    return tuple(
        one
        for one in _reading(graph, release)
        if id(one) not in biased and (is_pir or not is_by_weight(one, graph))
    )


def _refused(graph: Graph, release: str) -> tuple[Operator, ...]:
    """Layers with a bias, which flatten what has three axes as it lies."""
    biased = {id(one) for one, _ in layers(graph)}
    return tuple(
        one
        for one in _reading(graph, release)
        if id(one) in biased and len(graph.shape(operand(one, FIRST)) or ()) == _FEWEST_AXES
    )


RULE = Rule(
    id="CL611",
    title="product of what is stretched both ways, oneDNN",
    when=binary_in_onednn(_is_multiplied),
    action=Action.REWRITE,
    explanation=(
        "oneDNN lays the sum of `[N, 1, L, C]` and `[N, 8, 1, C]` out like the larger one of them, "
        "and of its axes of equal steps it puts the larger one in front: the 8 around the N. What "
        "follows is told so, but a matrix product reads it in the order of its axes (in legacy "
        "programs not one by a stored matrix), and a layer with a bias cannot flatten three axes "
        "that are not in order. Additive attention, features of pairs, masks of two kinds are such "
        "sums. The sum is copied, which puts it in order."
    ),
    without="wrong",
    evidence=(
        Evidence("measured", "(a + b) @ w, [2, 1, 30, 16] and [2, 8, 1, 16]: 5.3, 3.0.0, 3.3.1"),
        Evidence("measured", "minus, times; relu, exp, softmax, concat between: the same"),
        Evidence("measured", "[2, 1, 16] and [2, 5, 1]: the same; [2, 30, 1]: right"),
        Evidence("measured", "linear(x.unsqueeze(1) + [1, 5, 1]): no run (2.6.2, 3.0.0, 3.3.1)"),
        Evidence("measured", "[N, 1, 6] and [1, 5, 6]: right, the larger of them is never turned"),
        Evidence("measured", "a batch of one, linear with a bias, slice or reshape between: right"),
        Evidence("measured", "legacy, 2.6.2 and 3.3.1: by a computed matrix wrong as well"),
        Evidence("measured", "SRN's parallel attention (matrix.blind), 3.3.1: off by 0.55"),
    ),
    module="compatload.programs.rewritings.put_in_order",
    alone=(Alone(654, sees=_mistaken), Alone(720, "error", sees=_refused)),
)
