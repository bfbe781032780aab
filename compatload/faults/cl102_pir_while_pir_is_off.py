"""CL102: PIR program, and PIR is off."""

from __future__ import annotations

from compatload.faults.model import PIR, PYTHON, Action, Alone, Condition, Evidence, Rule

RULE = Rule(
    id="CL102",
    title="PIR program, and PIR is off",
    when=(Condition(paddle=">=3.0", apis=PYTHON, formats=PIR, pir_mode=False),),
    action=Action.PIR_MODE,
    explanation=(
        "With FLAGS_enable_pir_api=0, paddle.jit.load and paddle.static.load_inference_model "
        "look for a .pdmodel file only. PIR is switched on for the duration of the call."
    ),
    without="error",
    evidence=(Evidence("measured", "3.0.0 and 3.3.1 with FLAGS_enable_pir_api=0"),),
    alone=(Alone(230),),
)
