"""CL251: layer normalisation with a weight or a bias alone, oneDNN, PIR program."""

from __future__ import annotations

from dataclasses import replace

from compatload.faults.cl250_half_affine_legacy import LAYER_NORM, has_one_of_two
from compatload.faults.model import Action, Alone, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import PIR_ON_CPU, PLACEMENT_PASS

RULE = Rule(
    id="CL251",
    title="layer normalisation with a weight or a bias alone, oneDNN, PIR program",
    when=(replace(PIR_ON_CPU, operators=(OperatorPattern(LAYER_NORM, where=has_one_of_two),)),),
    action=Action.DELETE_PASSES,
    explanation="As CL250, for PIR programs: without the placement pass it runs elsewhere.",
    without="wrong",
    evidence=(
        Evidence("measured", "layer_norm(x, weight=w): by 2.3; (x, bias=b): by 0.35; 3.0.0, 3.3.1"),
    ),
    parameters=PLACEMENT_PASS,
    alone=(Alone(539),),
)
