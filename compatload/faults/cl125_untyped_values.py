"""CL125: constants that 3.x wrote into a legacy program, in 2.6."""

from __future__ import annotations

from compatload.faults.model import LEGACY, Action, Alone, Condition, Evidence, Rule

RULE = Rule(
    id="CL125",
    title="constants that 3.x wrote into a legacy program, in 2.6",
    action=Action.REPAIR,
    explanation=(
        "3.x writes the numbers of assign_value into one attribute for all data types, 2.6 reads "
        "one attribute for each, and finds nothing. It is filled in."
    ),
    without="error",
    evidence=(
        Evidence(
            "measured",
            "index_select saved by 3.3.1 with FLAGS_enable_pir_api=0 → 2.6.2, every loader: "
            "`Tensor's dimension is out of bound`",
        ),
    ),
    module="compatload.programs.legacy_repairs.untyped_values",
    alone=(
        Alone(
            351,
            when=Condition(paddle="<3.0", formats=LEGACY),
            sees="compatload.programs.sights:untyped_values",
        ),
    ),
)
