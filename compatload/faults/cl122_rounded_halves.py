"""CL122: halves that 3.1 rounds otherwise than older releases."""

from __future__ import annotations

from dataclasses import replace

from compatload.faults.model import LEGACY, Action, Alone, Evidence, Rule
from compatload.faults.origin import across

_LATER, _EARLIER = across("3.1", frozenset({"round"}), lambda operator, graph: True)

RULE = Rule(
    id="CL122",
    title="halves that 3.1 rounds otherwise than older releases",
    action=Action.REPAIR,
    explanation=(
        "`round` took halves away from zero up to 3.0 and takes them to even numbers since: 0.5 "
        "and 2.5 were 1 and 3, and are 0 and 2, in silence. They are rounded as in the release "
        "that saved the model."
    ),
    without="wrong",
    evidence=(Evidence("measured", "round of halves: 2.6.2, 3.0.0 / 3.1.1, 3.2.2, 3.3.0, 3.3.1"),),
    module="compatload.programs.legacy_repairs.rounded_halves",
    alone=(
        Alone(534, by_data=True, when=replace(_LATER, formats=LEGACY)),
        Alone(769, by_data=True, when=replace(_EARLIER, formats=LEGACY, paddle=">=3.0,<3.1")),
    ),
)
