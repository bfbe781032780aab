"""CL283: a convolution added to what is stretched by sizes that only a run tells, oneDNN."""

from __future__ import annotations

from dataclasses import replace

from compatload.artifact.model import Operator
from compatload.faults.graph import FIRST, SECOND, Graph, bare_name, operand
from compatload.faults.model import PIR, Action, Alone, Evidence, OperatorPattern, Rule
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
    if maker is not None and bare_name(maker) in ADDITIONS:  # of its bias
        maker = graph.producer(operand(maker, FIRST))
    return maker is not None and bare_name(maker) in CONVOLUTIONS


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


def _stretched(graph: Graph, release: str) -> tuple[Operator, ...]:
    return tuple(one for one in graph.named(ADDITIONS) if _is_stretched(one, graph))


RULE = Rule(
    id="CL283",
    title="a convolution added to what a run stretches, oneDNN",
    when=(
        replace(LEGACY_ON_CPU, operators=_STRETCHED),
        replace(PIR_ON_CPU, operators=_STRETCHED),
    ),
    action=Action.DELETE_PASSES,
    explanation=(
        "The pass takes a sum into the convolution before it, if the program declares one shape "
        "for both: unknown sizes look alike. Where one of them is 1 and the other is not, as "
        "with conv(x) + conv(x[:1]), a run ends in `std::exception` or `could not create a "
        "primitive descriptor for a reorder primitive`."
    ),
    without="error",
    evidence=(
        Evidence("measured", "a(x) + b(x[:1]), batch of 2: 3.3.1; as a legacy program: 2.6.2"),
        Evidence("measured", "a(x) + b(x[:, :, :1]), height unknown: the same"),
        Evidence("measured", "saved by 2.6.2, which declares a slice's size: right"),
    ),
    parameters=(
        "conv_elementwise_add_mkldnn_fuse_pass",
        "conv_elementwise_add_onednn_fuse_pass",
    ),
    alone=(Alone(546, when=replace(PIR_ON_CPU, formats=PIR), sees=_stretched),),
)
