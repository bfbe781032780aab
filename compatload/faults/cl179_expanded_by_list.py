"""CL179: the gradient of what is expanded by a list of sizes, 3.0."""

from __future__ import annotations

from compatload.faults.model import Action, Evidence, Rule

RULE = Rule(
    id="CL179",
    title="the gradient of what is expanded by a list of sizes, legacy program in 3.0",
    action=Action.REPAIR,
    explanation=(
        "`w.expand([x.shape[0], 6])` of a legacy program reads a list of sizes, of which the "
        "translation to PIR makes a list as well. In 3.0 the gradient of an expand by a list is 0, "
        "in silence, or ends the process (SIGABRT) where the tensor has as many axes. The sizes "
        "become one tensor, as in what 3.0 saves itself."
    ),
    without="wrong",
    evidence=(
        Evidence("measured", "x * w.expand([x.shape[0], 6]), saved by 2.6.2, trained on 3.0.0: 0"),
        Evidence("measured", "(x * w).unsqueeze(1).expand([x.shape[0], 3, 6]): SIGABRT on 3.0.0"),
        Evidence("measured", "both on 3.1.1 and 3.3.1, and both saved by 3.0.0, on 3.0.0: right"),
    ),
    module="compatload.programs.legacy_repairs.expanded_by_lists",
)
