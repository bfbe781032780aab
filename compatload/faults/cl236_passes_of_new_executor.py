"""CL236: passes that were left out come back, new executor without oneDNN, 2.6."""

from __future__ import annotations

from dataclasses import replace

from compatload.faults.model import Action, Evidence, Rule
from compatload.faults.onednn import LEGACY_ON_CPU

#: A plan follows it where passes are left out and oneDNN is off.
RULE = Rule(
    id="CL236",
    title="passes that were left out come back, new executor without oneDNN, 2.6",
    when=(replace(LEGACY_ON_CPU, paddle="<3.0", new_executor=True),),
    action=Action.WITHOUT_NEW_EXECUTOR,
    explanation=(
        "With enable_new_executor and without oneDNN a predictor of 2.6 makes its list of passes "
        "anew, and runs those that delete_pass took out of it."
    ),
    without="wrong",
    evidence=(
        Evidence(
            "measured",
            "a product that is scaled and read twice (CL220), 2.6.2, the passes deleted, "
            "disable_mkldnn, enable_new_executor: both passes run. Not with oneDNN, not on 3.0.0 "
            "and 3.3.1",
        ),
    ),
)
