"""CL116: operators that 3.x no longer has."""

from __future__ import annotations

from compatload.faults.model import (
    LEGACY,
    Action,
    Alone,
    Condition,
    Evidence,
    OperatorPattern,
    Rule,
)

# Operators that 2.6 lists without a kernel to run them.
_WITHOUT_KERNEL = OperatorPattern(frozenset({"pad2d"}))

RULE = Rule(
    id="CL116",
    title="operators that 3.x no longer has",
    action=Action.REPAIR,
    explanation=("They are composed of operators that it has."),
    without="error",
    evidence=(
        Evidence("measured", "pad2d and others, all 3.x: `should have corresponding OpInfo`"),
    ),
    module="compatload.programs.legacy_repairs.removed_operators",
    alone=(
        Alone(350, when=Condition(paddle="<3.0", formats=LEGACY, operators=(_WITHOUT_KERNEL,))),
    ),
)
