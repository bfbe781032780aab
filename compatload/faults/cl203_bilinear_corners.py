"""CL203: bilinear interpolation with align_corners or align_mode 1, oneDNN, 3.0 to 3.2."""

from __future__ import annotations

from dataclasses import replace

from compatload.faults.model import Action, Alone, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import PIR_ON_CPU_TO_3_2, PLACEMENT_PASS

_BILINEAR = frozenset({"bilinear_interp"})

RULE = Rule(
    id="CL203",
    title="bilinear interpolation with align_corners or align_mode 1, oneDNN, 3.0 to 3.2",
    when=(
        replace(
            PIR_ON_CPU_TO_3_2,
            operators=(
                OperatorPattern(_BILINEAR, (("align_corners", True),)),
                OperatorPattern(_BILINEAR, (("align_mode", 1),)),
            ),
        ),
    ),
    action=Action.DELETE_PASSES,
    explanation=(
        "The oneDNN kernel ignores both attributes and returns other numbers without an "
        "error. Without the placement pass the operator runs outside oneDNN."
    ),
    without="wrong",
    evidence=(Evidence("measured", "3.0.0 and 3.2.2: differences of 0.7 to 2.8"),),
    parameters=PLACEMENT_PASS,
    alone=(Alone(530),),
)
