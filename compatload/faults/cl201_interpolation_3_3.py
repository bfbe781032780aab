"""CL201: bilinear or nearest interpolation, oneDNN, 3.3."""

from __future__ import annotations

from dataclasses import replace

from compatload.faults.model import Action, Alone, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import PIR_ON_CPU_3_3, PLACEMENT_PASS

RULE = Rule(
    id="CL201",
    title="bilinear or nearest interpolation, oneDNN, 3.3",
    when=(
        replace(
            PIR_ON_CPU_3_3,
            operators=(OperatorPattern(frozenset({"bilinear_interp", "nearest_interp"})),),
        ),
    ),
    action=Action.DELETE_PASSES,
    explanation=(
        "3.3 made the scale an array of doubles, which its oneDNN instruction cannot convert, "
        "not even an empty one. Without the placement pass the operator runs outside oneDNN; "
        "fused convolutions stay inside."
    ),
    without="error",
    evidence=(
        Evidence("measured", "3.3.0 and 3.3.1, saved by 3.0.0 and 3.3.1: every such model"),
        Evidence("thread", "PaddlePaddle/Paddle/issues/77340"),
        Evidence("thread", "PaddlePaddle/PaddleOCR/issues/17539"),
    ),
    parameters=PLACEMENT_PASS,
    alone=(Alone(422),),
)
