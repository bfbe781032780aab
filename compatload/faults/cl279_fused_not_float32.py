"""CL279: matrix products and convolutions that are not of float32, oneDNN."""

from __future__ import annotations

from dataclasses import replace

from compatload.artifact.model import Format, Operator
from compatload.faults.graph import FIRST, Graph, bare_name, operand
from compatload.faults.model import Action, Alone, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import (
    ADDITIONS,
    CONVOLUTIONS,
    FUSED_ACTIVATIONS,
    IN_ONEDNN,
    LEGACY_ON_CPU,
    PIR_ON_CPU,
    PRODUCTS,
    TRANSPOSITIONS,
)

_CONCERNED = PRODUCTS | CONVOLUTIONS | {"softplus"}
_BEFORE = TRANSPOSITIONS | {"scale"}
_AFTER = TRANSPOSITIONS | ADDITIONS | FUSED_ACTIVATIONS | {"concat", "combine", "scale"}


def _is_fused(operator: Operator, graph: Graph) -> bool:
    """Whether a pass may put it together with what is beside it."""
    return graph.dtype(operand(operator, FIRST)) not in {None, *IN_ONEDNN} and (
        any(bare_name(user) in _AFTER for user in graph.users_of(operator))
        or any(bare_name(maker) in _BEFORE for maker in graph.producers_of(operator))
    )


_FUSED = (OperatorPattern(_CONCERNED, where=_is_fused),)


def _refused(graph: Graph, release: str) -> tuple[Operator, ...]:
    """What is surely put together with an activation after it; in PIR programs with a number, or
    with an order of heads."""
    after = FUSED_ACTIVATIONS
    if graph.artifact.format is Format.PIR:
        after = after | TRANSPOSITIONS | ADDITIONS | {"scale"}
    found = (one for one in graph.named(_CONCERNED) if _is_fused(one, graph))
    refused = (one for one in found if (user := graph.sole_user(one)) and bare_name(user) in after)
    return tuple(one for one in refused if graph.artifact.format is Format.PIR or _is_apart(one))


def _is_apart(operator: Operator) -> bool:
    """Whether a legacy program's pass finds it: no convolution, whose bias stands between."""
    return bare_name(operator) not in CONVOLUTIONS


RULE = Rule(
    id="CL279",
    title="matrix product or convolution that is not of float32, oneDNN",
    when=(replace(LEGACY_ON_CPU, operators=_FUSED), replace(PIR_ON_CPU, operators=_FUSED)),
    action=Action.DISABLE_ONEDNN,
    explanation=(
        "The passes put a matrix product, a convolution or softplus together with what is beside "
        "it, and ask for oneDNN's operator, which float64 and integers do not have: `There are "
        "no kernels which are registered in the fused_matmul operator`. Apart they run outside "
        "of oneDNN anyway."
    ),
    without="error",
    evidence=(
        Evidence("measured", "relu(matmul(x, y)) of float64: 2.6.2 and 3.3.1, both formats"),
        Evidence("measured", "heads of attention, relu(softplus(x)) of float64: the same"),
        Evidence("measured", "matmul times a number or plus a tensor, relu(conv2d): PIR"),
        Evidence("measured", "relu(linear(x)) of float64: right"),
    ),
    alone=(Alone(458, sees=_refused),),
)
