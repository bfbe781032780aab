"""CL228: interpolation of a single place, oneDNN, PIR program, 3.0 to 3.2."""

from __future__ import annotations

from dataclasses import replace

from compatload.faults.model import Action, Alone, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import PIR_ON_CPU_TO_3_2, PLACEMENT_PASS, is_single_place_in_pir

RULE = Rule(
    id="CL228",
    title="interpolation of a single place, oneDNN, PIR program, 3.0 to 3.2",
    when=(
        replace(
            PIR_ON_CPU_TO_3_2,
            operators=(
                OperatorPattern(
                    frozenset({"bilinear_interp", "nearest_interp"}), where=is_single_place_in_pir
                ),
            ),
        ),
    ),
    action=Action.DELETE_PASSES,
    explanation="As CL227 in the passes for PIR, and for bilinear interpolation, too.",
    without="crash",
    evidence=(
        Evidence("measured", "interpolate(conv2d(x)[:, :, :1, :1]): SIGABRT or SIGSEGV, 3.2.2"),
    ),
    parameters=PLACEMENT_PASS,
    alone=(Alone(436),),
)
