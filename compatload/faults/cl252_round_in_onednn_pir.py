"""CL252: halves rounded to even numbers, oneDNN, PIR program, 3.0."""

from __future__ import annotations

from dataclasses import replace

from compatload.faults.model import Action, Alone, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import PIR_ON_CPU, PLACEMENT_PASS

RULE = Rule(
    id="CL252",
    title="halves rounded to even numbers, oneDNN, PIR program, 3.0",
    when=(
        replace(
            PIR_ON_CPU,
            paddle=">=3.0,<3.1",
            operators=(OperatorPattern(frozenset({"round", "round_"})),),
        ),
    ),
    action=Action.DELETE_PASSES,
    explanation="As CL244, for PIR programs: without the placement pass it runs elsewhere.",
    without="wrong",
    evidence=(Evidence("measured", "round of halves on 3.0.0: by 1 in every second half"),),
    parameters=PLACEMENT_PASS,
    alone=(Alone(537, by_data=True),),
)
