"""CL123: factor of an interpolation that 3.3 reads as another number."""

from __future__ import annotations

from compatload.faults.model import LEGACY, Action, Alone, Condition, Evidence, Rule

RULE = Rule(
    id="CL123",
    title="factor of an interpolation that 3.3 reads as another number",
    action=Action.REPAIR,
    explanation=(
        "A factor of 1.3 is kept as a float32, which is a little less. 3.3 takes that for the "
        "number itself and computes sizes in double precision: ten pixels become twelve, where "
        "they were thirteen. The size is computed as before, and given beside the factor."
    ),
    without="wrong",
    evidence=(
        Evidence("measured", "interpolate(scale_factor=1.3) and 0.7, saved by 2.6.2: 3.3.1"),
        Evidence("measured", "1.7, and whole factors: right"),
    ),
    module="compatload.programs.legacy_repairs.widened_scales",
    alone=(
        Alone(
            669,
            when=Condition(paddle=">=3.3", formats=LEGACY),
            sees="compatload.programs.sights:widened_factors",
        ),
    ),
)
