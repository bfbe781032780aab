"""CL114: variables declared with another type than they have."""

from __future__ import annotations

from compatload.faults.model import Action, Evidence, Rule

RULE = Rule(
    id="CL114",
    title="variables declared with another type than they have",
    action=Action.REPAIR,
    explanation=(
        "2.x recorded some types wrongly and looked at the tensor when it ran; 3.x believes the "
        "declaration. A cast or a corrected declaration makes both agree."
    ),
    without="error",
    evidence=(Evidence("measured", "declared and actual types of 460 models under 2.6.2"),),
    module="compatload.programs.legacy_repairs.declared_types",
)
