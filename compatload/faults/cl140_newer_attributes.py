"""CL140: attributes of 3.x in a legacy program, which 2.6 passes over."""

from __future__ import annotations

from compatload.faults.model import LEGACY, Action, Alone, Condition, Evidence, Rule

RULE = Rule(
    id="CL140",
    title="attributes of 3.x in a legacy program, which 2.6 passes over",
    action=Action.REPAIR,
    explanation=(
        "kldiv_loss with log_target, round to decimals, thresholded_relu with a value: 3.x writes "
        "attributes into legacy programs that 2.6 does not know, and computes as if they were not "
        "there, in silence. Operators that 2.6 has compute the same. Halves go to even numbers as "
        "in 3.1, and whole ends of histogram are written as 2.6 reads them."
    ),
    without="wrong",
    evidence=(
        Evidence("measured", "operators whose attributes 2.6.2 lacks, in the registries of 3.x"),
        Evidence("measured", "kl_div, round, thresholded_relu of 3.0.0 and 3.3.1 as legacy: 2.6.2"),
    ),
    module="compatload.programs.legacy_repairs.newer_attributes",
    alone=(
        Alone(
            558,
            when=Condition(paddle="<3.0", formats=LEGACY),
            sees="compatload.programs.sights:newer_attributes",
        ),
    ),
)
