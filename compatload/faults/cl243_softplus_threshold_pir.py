"""CL243: softplus with a low threshold, oneDNN, PIR program."""

from __future__ import annotations

from dataclasses import replace

from compatload.faults.cl242_softplus_threshold import has_low_threshold
from compatload.faults.model import Action, Alone, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import PIR_ON_CPU, PLACEMENT_PASS

RULE = Rule(
    id="CL243",
    title="softplus with a low threshold, oneDNN, PIR program",
    when=(
        replace(
            PIR_ON_CPU,
            operators=(OperatorPattern(frozenset({"softplus"}), where=has_low_threshold),),
        ),
    ),
    action=Action.DELETE_PASSES,
    explanation=(
        "As CL242, for PIR programs: without the placement pass it runs elsewhere, and without the "
        "one that takes in the activation behind it."
    ),
    without="wrong",
    evidence=(Evidence("measured", "softplus(x, beta=3, threshold=1.5): 0.03 on 3.3.1"),),
    parameters=(*PLACEMENT_PASS, "softplus_activation_fuse_pass"),
    alone=(Alone(532, by_data=True),),
)
