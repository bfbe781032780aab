"""CL105: PIR program of a format version nobody knows."""

from __future__ import annotations

from compatload.faults.model import PIR, Action, Alone, Condition, Evidence, Rule
from compatload.releases import NEWEST_PIR_VERSION, known_pir_versions

RULE = Rule(
    id="CL105",
    title="PIR program of a format version nobody knows",
    when=(Condition(formats=PIR, pir_version_above=NEWEST_PIR_VERSION),),
    action=Action.REFUSE,
    explanation=(
        "Paddle has no upper bound on base_code.version and would read the file as if it "
        f"were its own. Known are {known_pir_versions()}."
    ),
    without="wrong",
    evidence=(Evidence("measured", "an edited 99 loads silently on 3.3.1"),),
    advice="Update compatload, or save the model again with one of these releases.",
    alone=(Alone(240),),
)
