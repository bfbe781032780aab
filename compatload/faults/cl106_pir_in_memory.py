"""CL106: PIR program from a memory buffer."""

from __future__ import annotations

from compatload.faults.model import Action, Evidence, Rule

RULE = Rule(
    id="CL106",
    title="PIR program from a memory buffer",
    action=Action.STAGE_FILES,
    explanation=(
        "The predictor takes a JSON buffer for a path. The buffers go through files in a "
        "private directory."
    ),
    without="error",
    evidence=(Evidence("measured", "Config.set_model_buffer, 3.0.0 and 3.3.1"),),
    module="compatload.loading.staging",
)
