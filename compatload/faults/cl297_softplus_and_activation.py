"""CL297: softplus outside of oneDNN with an activation behind, legacy program."""

from __future__ import annotations

from dataclasses import replace

from compatload.artifact.model import Operator
from compatload.faults.cl242_softplus_threshold import has_low_threshold
from compatload.faults.graph import Graph, bare_name
from compatload.faults.model import Action, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import FUSED_ACTIVATIONS, LEGACY_ON_CPU


def _is_activated(softplus: Operator, graph: Graph) -> bool:
    after = graph.sole_user(softplus)
    low = has_low_threshold(softplus, graph)
    return low and after is not None and bare_name(after) in FUSED_ACTIVATIONS


RULE = Rule(
    id="CL297",
    title="softplus outside of oneDNN with an activation behind, legacy program",
    when=(
        replace(
            LEGACY_ON_CPU,
            operators=(OperatorPattern(frozenset({"softplus"}), where=_is_activated),),
        ),
    ),
    action=Action.DELETE_PASSES,
    explanation=(
        "A plan has softplus with a low threshold run outside of oneDNN (CL242). The pass that "
        "takes in the activation behind it finds it there and stops: `oneDNN activation fuses "
        "require use_mkldnn=True`."
    ),
    without="wrong",
    evidence=(Evidence("measured", "relu(softplus(x, 2.0, 0.5)): 2.6.2 and 3.3.1"),),
    parameters=("softplus_activation_onednn_fuse_pass", "softplus_activation_mkldnn_fuse_pass"),
)
