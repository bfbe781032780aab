"""CL297: softplus with an activation behind that cannot be fused, legacy program."""

from __future__ import annotations

from dataclasses import replace

from compatload.artifact.model import Operator
from compatload.faults.cl242_softplus_threshold import has_low_threshold
from compatload.faults.graph import Graph, bare_name
from compatload.faults.model import Action, Alone, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import CONVOLUTIONS_ACTIVATIONS, LEGACY_ON_CPU

_SOFTPLUS = frozenset({"softplus"})


def _is_activated(softplus: Operator, graph: Graph) -> bool:
    after = graph.sole_user(softplus)
    return after is not None and bare_name(after) in CONVOLUTIONS_ACTIVATIONS


def _is_activated_outside(softplus: Operator, graph: Graph) -> bool:
    return has_low_threshold(softplus, graph) and _is_activated(softplus, graph)


_UNREGISTERED = replace(
    LEGACY_ON_CPU,
    paddle=">=3.0,<3.3",
    operators=(OperatorPattern(_SOFTPLUS, where=_is_activated),),
)

RULE = Rule(
    id="CL297",
    title="softplus with an activation behind that cannot be fused, legacy program",
    when=(
        replace(
            LEGACY_ON_CPU, operators=(OperatorPattern(_SOFTPLUS, where=_is_activated_outside),)
        ),
        _UNREGISTERED,
    ),
    action=Action.DELETE_PASSES,
    explanation=(
        "A plan has softplus with a low threshold run outside of oneDNN (CL242). The pass that "
        "takes in the activation behind it finds it there and stops: `oneDNN activation fuses "
        "require use_mkldnn=True`. And 3.0 to 3.2 have no operator of the name that it gives both "
        "(`Operator (fused_softplus) is not registered`)."
    ),
    without="wrong",
    evidence=(
        Evidence("measured", "relu(softplus(x, 2.0, 0.5)): 2.6.2 and 3.3.1"),
        Evidence("measured", "hardsigmoid(softplus(x, 1.5, 1.0), 0.3, 0.4): the same"),
        Evidence(
            "measured",
            "softplus, then relu, tanh, sigmoid, gelu, abs, sqrt, clip: an error on 3.0.0, 3.1.1 "
            "and 3.2.2; right on 2.6.2 and 3.3.1",
        ),
    ),
    parameters=("softplus_activation_onednn_fuse_pass", "softplus_activation_mkldnn_fuse_pass"),
    alone=(Alone(699, "error", _UNREGISTERED),),
)
