"""CL291: layer norm or prelu of more than five axes, oneDNN, PIR program."""

from __future__ import annotations

from dataclasses import replace

from compatload.faults.cl290_norm_of_six_axes import OF_MANY
from compatload.faults.model import Action, Alone, Evidence, Rule
from compatload.faults.onednn import PIR_ON_CPU, PLACEMENT_PASS

RULE = Rule(
    id="CL291",
    title="layer norm or prelu of more than five axes, oneDNN, PIR program",
    when=(replace(PIR_ON_CPU, operators=OF_MANY),),
    action=Action.DELETE_PASSES,
    explanation="As CL290, for PIR programs: without the placement pass it runs elsewhere.",
    without="error",
    evidence=(
        Evidence("measured", "layer_norm of [B, 1, 5, 1, 2, 3]: `std::exception`, 3.0.0, 3.3.1"),
    ),
    parameters=PLACEMENT_PASS,
    alone=(Alone(462),),
)
