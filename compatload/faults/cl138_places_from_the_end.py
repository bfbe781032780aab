"""CL138: places and axes that count from the end, in a legacy program of 3.x, on 2.6."""

from __future__ import annotations

from compatload.faults.model import LEGACY, Action, Alone, Condition, Evidence, Rule

_ON_2_6 = Condition(paddle="<3.0", formats=LEGACY)

RULE = Rule(
    id="CL138",
    title="places that count from the end, legacy program of 3.x, on 2.6",
    action=Action.REPAIR,
    explanation=(
        "`x[-1]` by a tensor of places, and `gather` along the axis -1: 3.x counts them from the "
        "end. 2.6 does so where Python tells it, and takes what a program says as it is: it "
        "refuses the place, or reads and writes before the tensor. The size of the axis is added "
        "to what is below zero, as PIR programs are written for 2.6."
    ),
    without="wrong",
    evidence=(
        Evidence("measured", "take_along_axis by -4 to -1, saved by 3.3.1: 2.6.2 is off by 0.5"),
        Evidence("measured", "gather, gather_nd, index_select: `must be no less than 0`"),
        Evidence("measured", "gather along the axis -1, -3: wrong in predictors, no memory"),
    ),
    module="compatload.programs.legacy_repairs.places_from_the_end",
    alone=(
        Alone(764, when=_ON_2_6, sees="compatload.programs.sights:axes_from_the_end"),
        Alone(
            765,
            when=_ON_2_6,
            sees="compatload.programs.sights:places_from_the_end",
            by_data=True,
        ),
    ),
)
