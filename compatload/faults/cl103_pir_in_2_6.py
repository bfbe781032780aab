"""CL103: PIR program on a Paddle that has no PIR format."""

from __future__ import annotations

from dataclasses import replace

from compatload.faults.model import PIR, PREDICTOR, PYTHON, Action, Alone, Condition, Evidence, Rule

_PIR_IN_2 = Condition(paddle="<3.0", formats=PIR)

RULE = Rule(
    id="CL103",
    title="PIR program on a Paddle that has no PIR format",
    when=(_PIR_IN_2,),
    action=Action.CONVERT,
    explanation=(
        "Paddle 2.x does not know the PIR format: its two Python loaders fail and its "
        "predictor kills the process (SIGSEGV). The program is converted to a legacy one."
    ),
    without="crash",
    evidence=(Evidence("measured", "3.0.0 … 3.3.1 → 2.6.2 predictor, every model"),),
    parameters=("legacy",),
    advice="Convert it once with `compatload convert MODEL TARGET --to legacy`.",
    alone=(
        Alone(210, "error", replace(_PIR_IN_2, apis=PYTHON)),
        Alone(211, "crash", replace(_PIR_IN_2, apis=PREDICTOR)),
    ),
)
