"""CL244: halves rounded to even numbers, oneDNN, legacy program, before 3.1."""

from __future__ import annotations

from dataclasses import replace

from compatload.faults.model import Action, Alone, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import LEGACY_ON_CPU

RULE = Rule(
    id="CL244",
    title="halves rounded to even numbers, oneDNN, legacy program, before 3.1",
    when=(
        replace(LEGACY_ON_CPU, paddle="<3.1", operators=(OperatorPattern(frozenset({"round"})),)),
    ),
    action=Action.WITHOUT_ONEDNN,
    explanation=(
        "Up to 3.0 Paddle rounds halves away from zero, oneDNN always to even numbers: of 0.5 and "
        "2.5 the predictor makes 0 and 2, the layer 1 and 3. In silence."
    ),
    without="wrong",
    evidence=(Evidence("measured", "round of -2.5 to 3.5, 2.6.2: by 1 in every second half"),),
    alone=(Alone(533, by_data=True),),
)
