"""CL210: PIR program without parameters, 3.0."""

from __future__ import annotations

from compatload.faults.model import PIR, PREDICTOR, Action, Alone, Condition, Evidence, Rule

RULE = Rule(
    id="CL210",
    title="PIR program without parameters, 3.0",
    when=(Condition(paddle=">=3.0,<3.1", apis=PREDICTOR, runs_as=PIR, parameterless=True),),
    action=Action.ADD_PARAMETER,
    explanation=(
        "The predictor of 3.0 wants a weights file with at least one tensor. The program gets "
        "a parameter of one element that nothing reads."
    ),
    without="error",
    evidence=(Evidence("measured", "3.0.0; 3.1.0 and later do without"),),
    alone=(Alone(260),),
)
