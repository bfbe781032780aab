"""CL109: PIR program that is marked as not trainable."""

from __future__ import annotations

from compatload.faults.model import LAYER, PIR, PREDICTOR, Action, Alone, Condition, Evidence, Rule

RULE = Rule(
    id="CL109",
    title="PIR program that is marked as not trainable",
    when=(Condition(paddle=">=3.0", apis=LAYER | PREDICTOR, formats=PIR, untrainable=True),),
    action=Action.REFUSE,
    explanation=(
        "No save function of Paddle writes that mark. The predictor looks for what only "
        "trainable programs hold and kills the process (SIGSEGV)."
    ),
    without="crash",
    evidence=(Evidence("measured", "edited files with parameters, 3.3.1 predictor"),),
    advice="Load it with safe_load_inference_model, or save the model again.",
    alone=(Alone(250),),
)
