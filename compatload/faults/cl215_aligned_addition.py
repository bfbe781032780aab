"""CL215: aligned addition and what follows it fused, oneDNN, legacy program, 3.x."""

from __future__ import annotations

from dataclasses import replace

from compatload.artifact.model import Operator
from compatload.faults.graph import Graph, bare_name, operand
from compatload.faults.model import Action, Alone, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import FUSED_ACTIVATIONS, LEGACY_ON_CPU, PLAIN_CONVOLUTIONS

_ELEMENTWISE = frozenset({"elementwise_add", "elementwise_mul", "elementwise_sub"})
_FUSED = FUSED_ACTIVATIONS | {"scale"}


def _has_axis(operator: Operator, graph: Graph) -> bool:
    axis = operator.attributes.get("axis")
    return isinstance(axis, int) and axis >= 0


def _aligned(graph: Graph, release: str) -> tuple[Operator, ...]:
    """Additions (and the like) along leading axes, before something that is fused with them.

    A bias that a convolution takes in is no addition any more when the passes look for one.
    """
    return tuple(
        one
        for one in graph.named(_ELEMENTWISE)
        if _is_aligned(one, graph)
        and any(bare_name(user) in _FUSED for user in graph.users_of(one))
        and not any(bare_name(maker) in PLAIN_CONVOLUTIONS for maker in graph.producers_of(one))
    )


def _is_aligned(operator: Operator, graph: Graph) -> bool:
    """Whether the smaller operand's dimensions are not the last ones of the larger."""
    larger, smaller = (graph.shape(operand(operator, (slot,))) for slot in ("X", "Y"))
    if not _has_axis(operator, graph) or larger is None or not smaller:
        return False
    axis = operator.attributes["axis"]
    return isinstance(axis, int) and axis + len(smaller) < len(larger)


RULE = Rule(
    id="CL215",
    title="aligned addition and what follows it fused, oneDNN, legacy program, 3.x",
    when=(
        replace(
            LEGACY_ON_CPU,
            paddle=">=3.0",
            operators=(OperatorPattern(_ELEMENTWISE, feeds=_FUSED, where=_has_axis),),
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
    ),
    parameters=("operator_scale_onednn_fuse_pass", "elementwise_act_onednn_fuse_pass"),
    alone=(Alone(427, sees=_aligned),),
)
