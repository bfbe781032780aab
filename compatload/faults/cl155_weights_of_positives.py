"""CL155: weights of positives, which 2.6 and 3.x count otherwise."""

from __future__ import annotations

from compatload.faults.model import LEGACY, Action, Alone, Condition, Evidence, Rule

RULE = Rule(
    id="CL155",
    title="weights of positives, which 2.6 and 3.x count otherwise",
    action=Action.REPAIR,
    explanation=(
        "`binary_cross_entropy_with_logits(x, y, pos_weight=w)`: 2.6 adds `(w - 1) y` times "
        "`log(1 + exp(-|x|))`, 3.0 and later times `log(1 + exp(-x))`, as it should be. What is "
        "loaded computes as the release that saved it."
    ),
    without="wrong",
    evidence=(
        Evidence("measured", "x -2, y 0.3, w 2: 0.765 on 2.6.0 and 2.6.2, 1.365 on 3.0.0 to 3.3.1"),
    ),
    module="compatload.programs.legacy_repairs.weighted_losses",
    alone=(
        Alone(
            658,
            when=Condition(formats=LEGACY),
            sees="compatload.programs.sights:weighted_losses",
        ),
    ),
)
