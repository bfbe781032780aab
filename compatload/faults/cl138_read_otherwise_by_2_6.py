"""CL138: operators of a legacy program of 3.x that 2.6 lacks, or reads otherwise."""

from __future__ import annotations

from compatload.faults.model import LEGACY, Action, Alone, Condition, Evidence, Rule

RULE = Rule(
    id="CL138",
    title="operators of a legacy program of 3.x that 2.6 lacks or reads otherwise",
    action=Action.REPAIR,
    explanation=(
        "A legacy program of 3.x (FLAGS_enable_pir_api=0) names the operators of 3.x. 2.6 takes "
        "their places and axes as they are where 3.x counts from the end (take_along_axis, "
        "gather, scatter), wants the axes of a trace in their order, takes sizes in int32, counts "
        "a rank in another type, finds no axis in a single number, and has neither shifts of bits "
        "nor copysign. They are written as those of a PIR program are for 2.6."
    ),
    without="wrong",
    evidence=(
        Evidence("measured", "take_along_axis by -4 to -1, saved by 3.3.1: 2.6.2 is off by 0.5"),
        Evidence("measured", "gather, gather_nd, index_select: `must be no less than 0`"),
        Evidence("measured", "gather along the axis -1, -3: wrong in predictors, no memory"),
        Evidence("measured", "trace by axes 1 and 0: off by 2.9; lu, matrix_rank: another type"),
        Evidence(
            "measured",
            "581 networks of the zoo saved by 3.3.1 as legacy programs, layers, programs and "
            "predictors of 2.6.2: 67 of 1,743 were not right (2026-11-30)",
        ),
    ),
    module="compatload.programs.legacy_repairs.as_in_pir",
    alone=(
        Alone(
            764,
            when=Condition(paddle="<3.0", formats=LEGACY),
            sees="compatload.programs.sights:as_in_pir",
            by_data=True,
        ),
    ),
)
