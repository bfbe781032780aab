"""CL283: a convolution added to what is stretched by sizes that only a run tells, oneDNN."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from compatload.artifact.model import Format, Operator
from compatload.faults.graph import FIRST, SECOND, Graph, bare_name, operand
from compatload.faults.model import LEGACY, PIR, Action, Alone, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import (
    ADDITIONS,
    CONVOLUTIONS,
    CONVOLUTIONS_ACTIVATIONS,
    LEGACY_ON_CPU,
    NORMALISATION,
    PIR_ON_CPU,
)

_SLICES = frozenset({"slice", "strided_slice"})
_UNKNOWN = -1
_LONGEST_CHAIN = 8


def _is_stretched(added: Operator, graph: Graph) -> bool:
    """Whether both are declared of one shape, and an unknown size of one was cut out, which may be
    the one that is stretched."""
    values = [operand(added, slots) for slots in (FIRST, SECOND)]
    shapes = [graph.shape(value) for value in values]
    if shapes[0] is None or shapes[0] != shapes[1] or _UNKNOWN not in shapes[0]:
        return False
    if not any(_is_of_convolution(value, graph) for value in values):
        return False
    unknown = [axis for axis, size in enumerate(shapes[0]) if size == _UNKNOWN]
    return any(
        _is_cut(values[0], axis, graph) != _is_cut(values[1], axis, graph) for axis in unknown
    )


def _is_of_convolution(value: str | None, graph: Graph) -> bool:
    maker = graph.producer(value)
    # Other passes take these in before.
    for taken in (NORMALISATION, ADDITIONS):
        if maker is not None and bare_name(maker) in taken:
            maker = graph.producer(operand(maker, FIRST))
    return maker is not None and bare_name(maker) in CONVOLUTIONS


def _is_of_two_convolutions(added: Operator, graph: Graph) -> bool:
    """Whether both are convolutions, normed or not, of other shapes: the pass looks at none."""
    values = [operand(added, slots) for slots in (FIRST, SECOND)]
    shapes = [graph.shape(value) for value in values]
    return _are_unlike(*shapes) and all(
        _is_fused(value, graph) and _is_of_convolution(value, graph) for value in values
    )


def _are_unlike(one: Sequence[int] | None, other: Sequence[int] | None) -> bool:
    """Whether a size is another one, or of a single place beside one that only a run can tell."""
    pairs = zip(reversed(one or ()), reversed(other or ()))
    return any(
        first != second and (1 in (first, second) or min(first, second) > 0)
        for first, second in pairs
    )


def _is_fused(value: str | None, graph: Graph) -> bool:
    """Whether an addition is that of a bias as passes know it, not as 2.6 reshapes it."""
    maker = graph.producer(value)
    if graph.artifact.format is Format.PIR or maker is None or bare_name(maker) not in ADDITIONS:
        return True
    return graph.is_stored(operand(maker, SECOND))


def _is_cut(value: str | None, axis: int, graph: Graph) -> bool:
    """Whether a slice leaves a part of that axis, by convolutions and what they take in."""
    for _ in range(_LONGEST_CHAIN):
        maker = graph.producer(value)
        if maker is None:
            return False
        if bare_name(maker) in _SLICES:
            told = maker.attributes.get("axes")
            if isinstance(told, (list, tuple)) and axis in told:
                return True
        elif bare_name(maker) not in _PASSED:
            return False
        value = operand(maker, (*FIRST, "Input"))
    return False


_PASSED = CONVOLUTIONS | CONVOLUTIONS_ACTIVATIONS | NORMALISATION | ADDITIONS | {"pool2d", "scale"}

_STRETCHED = (OperatorPattern(ADDITIONS, where=_is_stretched),)
_OF_CONVOLUTIONS = (OperatorPattern(ADDITIONS, where=_is_of_two_convolutions),)


def _stretched(graph: Graph, release: str) -> tuple[Operator, ...]:
    return tuple(one for one in graph.named(ADDITIONS) if _is_stretched(one, graph))


RULE = Rule(
    id="CL283",
    title="a convolution added to what a run stretches, oneDNN",
    when=(
        replace(LEGACY_ON_CPU, operators=_STRETCHED),
        replace(PIR_ON_CPU, operators=_STRETCHED),
        replace(LEGACY_ON_CPU, operators=_OF_CONVOLUTIONS),
    ),
    action=Action.DELETE_PASSES,
    explanation=(
        "The pass takes a sum into the convolution before it, if the program declares one shape "
        "for both: unknown sizes look alike. Where one of them is 1 and the other is not, as "
        "with conv(x) + conv(x[:1]), a run ends in `std::exception` or `could not create a "
        "primitive descriptor for a reorder primitive`. Two convolutions it joins in a legacy "
        "program whatever their shapes, such as conv(x) + conv(adaptive_avg_pool2d(x, 1)) without "
        "biases, or with biases as 2.0 to 2.5 write them."
    ),
    without="error",
    evidence=(
        Evidence("measured", "a(x) + b(x[:1]), batch of 2: 3.3.1; as a legacy program: 2.6.2"),
        Evidence("measured", "a(x) + b(x[:, :, :1]), height unknown: the same"),
        Evidence("measured", "conv(x) + conv(pool(x)) saved by 3.3.1, or without biases: 2.6.2"),
        Evidence("measured", "the same with batch norms: bn(conv(x)) + bn(conv(pool(x))): 2.6.2"),
        Evidence("measured", "saved by 2.6.2, which declares a slice's size: right"),
    ),
    parameters=(
        "conv_elementwise_add_mkldnn_fuse_pass",
        "conv_elementwise_add_onednn_fuse_pass",
    ),
    alone=(
        Alone(546, when=replace(PIR_ON_CPU, formats=PIR), sees=_stretched),
        Alone(477, when=replace(LEGACY_ON_CPU, formats=LEGACY, operators=_OF_CONVOLUTIONS)),
    ),
)
