"""CL270: activation after a sum, difference or product that is not of float32, oneDNN, legacy."""

from __future__ import annotations

from dataclasses import replace

from compatload.artifact.model import Operator
from compatload.faults.graph import FIRST, Graph, bare_name, operand
from compatload.faults.model import Action, Alone, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import (
    BINARY,
    DIVISIONS,
    FUSED_ACTIVATIONS,
    IN_ONEDNN,
    LEGACY_ON_CPU,
)

FUSING_PASS = ("elementwise_act_onednn_fuse_pass", "elt_act_mkldnn_fuse_pass")
_JOINED = BINARY - DIVISIONS


def _is_activated(operator: Operator, graph: Graph) -> bool:
    """Whether an activation reads the result, and oneDNN has no kernel for its numbers."""
    dtype = graph.dtype(operand(operator, FIRST))
    return (
        dtype is not None
        and dtype not in IN_ONEDNN
        and any(bare_name(user) in FUSED_ACTIVATIONS for user in graph.users_of(operator))
    )


def fused(graph: Graph, release: str) -> tuple[Operator, ...]:
    """What is fused with the activation after it: nothing else reads it."""
    found = (one for one in graph.named(_JOINED) if _is_activated(one, graph))
    return tuple(one for one in found if graph.sole_user(one) is not None)


ACTIVATED = (OperatorPattern(_JOINED, where=_is_activated),)

RULE = Rule(
    id="CL270",
    title="activation after a sum that is not of float32, oneDNN, legacy program",
    when=(replace(LEGACY_ON_CPU, operators=ACTIVATED),),
    action=Action.DELETE_PASSES,
    explanation=(
        "The pass fuses an activation into the sum, difference or product before it, and asks "
        "for oneDNN's operator, which integers and float64 do not have. Distances of positions "
        "are abs(i - j)."
    ),
    without="error",
    evidence=(
        Evidence("measured", "(i - j).abs() of int64, int32, float64: 2.6.2, 3.0.0, 3.3.1"),
        Evidence("measured", "relu, gelu, tanh, sqrt of float64: the same"),
    ),
    parameters=FUSING_PASS,
    alone=(Alone(449, sees=fused),),
)
