"""CL223: two activations after a convolution, oneDNN, legacy program."""

from __future__ import annotations

from dataclasses import replace

from compatload.artifact.model import Operator
from compatload.faults.graph import SECOND, Graph, bare_name, operand
from compatload.faults.model import Action, Alone, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import (
    ACTIVATED_CONVOLUTIONS,
    ADDITIONS,
    CONVOLUTIONS_ACTIVATIONS,
    FUSED_ACTIVATIONS,
    LEGACY_ON_CPU,
    NORMALISATION,
)

_BIAS_OR_NORMALISATION = ADDITIONS | NORMALISATION
_TAKEN_IN = (FUSED_ACTIVATIONS - {"sqrt"}) | {"hard_sigmoid"}


def _is_activated_twice(operator: Operator, graph: Graph) -> bool:
    return graph.leads(
        operator,
        lambda first: (
            bare_name(first) in CONVOLUTIONS_ACTIVATIONS
            and any(bare_name(one) in CONVOLUTIONS_ACTIVATIONS for one in graph.users_of(first))
        ),
        lambda one: bare_name(one) in _BIAS_OR_NORMALISATION,
    )


def _seconds(graph: Graph, release: str) -> tuple[Operator, ...]:
    """The second of two activations that follow a convolution, its bias or its normalisation."""
    found = (_second_activation(one, graph) for one in graph.named(ACTIVATED_CONVOLUTIONS))
    return tuple(one for one in found if one is not None)


def _second_activation(convolution: Operator, graph: Graph) -> Operator | None:
    after = graph.sole_user(convolution, "Output")
    while after is not None and _is_taken_in(after, graph):
        after = graph.sole_user(after, "Y" if bare_name(after) == "batch_norm" else "Out")
    if after is None or bare_name(after) not in _TAKEN_IN:
        return None
    second = graph.sole_user(after, "Out")
    # The pass goes through the types in the order of their names, and looks at each once.
    name = bare_name(second) if second is not None else ""
    return second if name in _TAKEN_IN and name > bare_name(after) else None


def _is_taken_in(after: Operator, graph: Graph) -> bool:
    """Whether a convolution takes it in: a normalisation, a bias along the channels."""
    if bare_name(after) == "elementwise_add":
        bias = operand(after, SECOND)
        return graph.is_stored(bias) and len(graph.shape(bias) or ()) == 1
    return bare_name(after) == "batch_norm"


RULE = Rule(
    id="CL223",
    title="two activations after a convolution, oneDNN, legacy program",
    when=(
        replace(
            LEGACY_ON_CPU,
            operators=(OperatorPattern(ACTIVATED_CONVOLUTIONS, where=_is_activated_twice),),
        ),
    ),
    action=Action.DELETE_PASSES,
    explanation=(
        "As CL209 for convolutions: the second activation is fused over the first, which is "
        "lost without an error. Files of 2.5 and later hide it where there is a bias, since "
        "that is not fused itself; without one, or behind batch normalisation, they have it."
    ),
    without="wrong",
    evidence=(
        Evidence("measured", "relu(gelu(conv2d(x))): 0.17 on 2.6.2, 3.0.0 and 3.3.1"),
        Evidence("measured", "sigmoid(relu(conv2d(x))) with a bias along its axis: 0.49"),
        Evidence("measured", "the same as a PIR program, and transposed: right"),
    ),
    parameters=("conv_activation_mkldnn_fuse_pass", "conv_activation_onednn_fuse_pass"),
    alone=(Alone(580, sees=_seconds),),
)
