"""CL506: Paddle 2.6 with PIR switched on."""

from __future__ import annotations

from compatload.faults.model import PYTHON, Action, Alone, Condition, Evidence, Rule

RULE = Rule(
    id="CL506",
    title="Paddle 2.6 with PIR switched on",
    when=(Condition(paddle="<3.0", apis=PYTHON, pir_mode=True),),
    action=Action.REFUSE,
    explanation=(
        "In 2.6 the flag is an experiment: its own loaders fail with it on every model, and it "
        "cannot be taken back once paddle is imported."
    ),
    without="error",
    evidence=(
        Evidence("measured", "2.6.2, FLAGS_enable_pir_api=1: `must be OpResult, but got …`"),
    ),
    advice="Unset FLAGS_enable_pir_api in the environment of this process.",
    alone=(Alone(140),),
)
