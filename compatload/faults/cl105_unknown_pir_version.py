"""CL105: PIR program of a format version nobody knows."""

from __future__ import annotations

from compatload.faults.model import PIR, Action, Alone, Condition, Evidence, Rule

RULE = Rule(
    id="CL105",
    title="PIR program of a format version nobody knows",
    when=(Condition(paddle="<=3.3.1", formats=PIR, pir_version_above=4),),
    action=Action.REFUSE,
    explanation=(
        "Paddle has no upper bound on base_code.version and would read the file as if it "
        "were its own. No release up to 3.3.1 writes more than 4."
    ),
    without="wrong",
    evidence=(Evidence("measured", "an edited 99 loads silently on 3.3.1"),),
    advice="Upgrade Paddle to the release that saved it, or save the model again.",
    alone=(Alone(240),),
)
