"""CL122: halves that 3.1 rounds otherwise than older releases."""

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

RULE = Rule(
    id="CL122",
    title="halves that 3.1 rounds otherwise than older releases",
    action=Action.REPAIR,
    explanation=(
        "`round` took halves away from zero up to 3.0 and takes them to even numbers since: 0.5 "
        "and 2.5 were 1 and 3, and are 0 and 2, in silence. Halves of models that 2.x saved are "
        "rounded as they were there; those of models that 3.1 or later saved are rounded as "
        "there, on 2.6."
    ),
    without="wrong",
    evidence=(Evidence("measured", "round of halves: 2.6.2, 3.0.0 / 3.1.1, 3.2.2, 3.3.0, 3.3.1"),),
    module="compatload.programs.legacy_repairs.rounded_halves",
    alone=(
        Alone(
            534,
            by_data=True,
            when=Condition(
                paddle=">=3.1",
                formats=LEGACY,
                operators=(OperatorPattern(frozenset({"round"})),),
            ),
        ),
    ),
)
