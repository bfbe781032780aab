"""CL507: Paddle older than what is supported. Decided by the plan, before any condition."""

from __future__ import annotations

from compatload.faults.model import Action, Evidence, Rule
from compatload.releases import NEWEST_LEGACY, OLDEST

RULE = Rule(
    id="CL507",
    title="Paddle older than every supported release",
    action=Action.REFUSE,
    explanation=(
        f"{OLDEST} is the oldest release that was measured. Before it, modules and operators of "
        "Paddle are others. Programs that older releases saved are read as ever."
    ),
    without="error",
    evidence=(Evidence("measured", "2.5.2: 9 of 12 newer models load and agree, 3 fail"),),
    advice=f"Upgrade: `pip install paddlepaddle=={NEWEST_LEGACY}`, or later.",
)
