"""CL113: slices with a negative step."""

from __future__ import annotations

from compatload.faults.model import LEGACY, PREDICTOR, Action, Alone, Condition, Evidence, Rule

RULE = Rule(
    id="CL113",
    title="slices with a negative step",
    action=Action.REPAIR,
    explanation=(
        "2.x and 3.x read the bounds of such a slice differently: x[::-1] comes out empty, "
        "without an error, and x[::-1] = y sets nothing. The bounds are rewritten for the release "
        "that loads them."
    ),
    without="wrong",
    evidence=(
        Evidence("measured", "2.6.2 → 3.0.0 and 3.3.1, layer and predictor"),
        Evidence("measured", "x[::-1] = y saved by 2.6.2: x as it was, 3.0.0 to 3.3.1"),
        Evidence("measured", "3.3.1 with FLAGS_enable_pir_api=0 → 2.6.2, every loader"),
    ),
    module="compatload.programs.legacy_repairs.reversed_slices",
    alone=(
        Alone(
            520,
            when=Condition(paddle=">=3.0", apis=PREDICTOR, formats=LEGACY),
            sees="compatload.programs.sights:misread_slices",
        ),
        Alone(
            521,
            when=Condition(paddle="<3.0", formats=LEGACY),
            sees="compatload.programs.sights:misread_slices",
        ),
    ),
)
