"""CL215: aligned addition and what follows it fused, oneDNN, legacy program, 3.x."""

from __future__ import annotations

from dataclasses import replace

from compatload.artifact.model import Operator
from compatload.faults.graph import Graph, bare_name, operand
from compatload.faults.model import Action, Alone, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import (
    ACTIVATED_CONVOLUTIONS,
    CHANNELS,
    CONVOLUTIONS_ACTIVATIONS,
    LEGACY_ON_CPU,
)

_ELEMENTWISE = frozenset({"elementwise_add", "elementwise_mul", "elementwise_sub"})
_FUSED = CONVOLUTIONS_ACTIVATIONS | {"scale"}
# Whose passes for biases work: that for conv3d takes none in (3.0.0 and 3.3.1).
_TAKING_IN = ACTIVATED_CONVOLUTIONS | {"conv2d_transpose"}


# Their weight, and nothing but the channels' axis, is what the passes for biases ask for.
_CHANNELS_FIRST = ("NCHW", "AnyLayout")


def _axis(operator: Operator) -> int:
    """Where its smaller operand begins; -1: at the last dimensions."""
    axis = operator.attributes.get("axis")
    return axis if isinstance(axis, int) else -1


def _has_axis(operator: Operator, graph: Graph) -> bool:
    return _axis(operator) >= 0


def _may_be_aligned(operator: Operator, graph: Graph) -> bool:
    """Whether it stands along leading axes when the passes come to it, or nobody can tell.

    Without both passes PP-OCRv4's recognition takes 4 % longer, PP-OCRv2's classifier 8 %.
    """
    if not _has_axis(operator, graph):
        return False
    known = _shapes(operator, graph) is not None
    return (_is_aligned(operator, graph) or not known) and not _is_taken_in(operator, graph)


def _is_taken_in(added: Operator, graph: Graph) -> bool:
    """Whether it is a stored bias that surely goes into a convolution before."""
    result, bias = operand(added, ("X",)), operand(added, ("Y",))
    maker = graph.producer(result)
    return (
        maker is not None
        and bare_name(maker) in _TAKING_IN
        and bare_name(added) == "elementwise_add"
        and _axis(added) == CHANNELS
        and graph.sole_user(maker) is added
        and not maker.inputs.get("Bias")
        and maker.attributes.get("data_format", "NCHW") in _CHANNELS_FIRST
        and graph.is_stored(operand(maker, ("Filter",)))
        and graph.is_stored(bias)
        and len(graph.shape(bias) or ()) == 1
        and graph.dtype(result) == "float32"
    )


def _refused(graph: Graph, release: str) -> tuple[Operator, ...]:
    """Additions (and the like) along leading axes that are fused with their only reader, and whose
    smaller operand would not fit the last axes."""
    return tuple(
        one
        for one in graph.named(_ELEMENTWISE)
        if _has_axis(one, graph)
        and (user := graph.sole_user(one)) is not None
        and bare_name(user) in _FUSED
        and _is_aligned(one, graph)
        and not _fits_last(one, graph)
        and not _is_taken_in(one, graph)
    )


def _shapes(operator: Operator, graph: Graph) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    larger, smaller = (graph.shape(operand(operator, (slot,))) for slot in ("X", "Y"))
    return None if larger is None or smaller is None else (larger, smaller)


def _is_aligned(operator: Operator, graph: Graph) -> bool:
    """Whether the smaller operand's dimensions are not the last ones of the larger."""
    larger, smaller = _shapes(operator, graph) or ((), ())
    return bool(smaller) and _axis(operator) + len(smaller) < len(larger)


def _fits_last(operator: Operator, graph: Graph) -> bool:
    larger, smaller = _shapes(operator, graph) or ((), ())
    ends = zip(reversed(larger), reversed(smaller))
    return all(a == b != -1 or 1 in (a, b) for a, b in ends)


RULE = Rule(
    id="CL215",
    title="aligned addition and what follows it fused, oneDNN, legacy program, 3.x",
    when=(
        replace(
            LEGACY_ON_CPU,
            paddle=">=3.0",
            operators=(OperatorPattern(_ELEMENTWISE, feeds=_FUSED, where=_may_be_aligned),),
        ),
    ),
    action=Action.DELETE_PASSES,
    explanation=(
        "The operator that the passes make out of both compares the shapes as if `axis` were "
        "-1, and refuses a bias of [channels] where the last dimension is another."
    ),
    without="error",
    evidence=(
        Evidence("measured", "[2, 4, 6, 6] + [4] with axis 1, then scale or relu: 3.0.0, 3.3.1"),
        Evidence("measured", "deform_conv2d saved by 2.6.2, which adds its bias so"),
        Evidence(
            "measured",
            "conv3d's bias, and a bias whose convolution is read twice: an error; what conv2d and "
            "conv2d_transpose take in: right, of 360 networks on 3.0.0 and 3.3.1",
        ),
    ),
    parameters=("operator_scale_onednn_fuse_pass", "elementwise_act_onednn_fuse_pass"),
    alone=(Alone(427, sees=_refused),),
)
