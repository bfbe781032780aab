"""CL115: attributes and inputs that the translation to PIR ignores."""

from __future__ import annotations

from compatload.faults.model import Action, Evidence, Rule

RULE = Rule(
    id="CL115",
    title="attributes and inputs that the translation to PIR ignores",
    action=Action.REPAIR,
    explanation=(
        "Some attributes and optional inputs are dropped by the translation, and the numbers "
        "change without an error. Operators that say the same are put in."
    ),
    without="wrong",
    evidence=(
        Evidence("measured", "every attribute of the 2.6.2 registry changed in turn, all 3.x"),
    ),
    module="compatload.programs.legacy_repairs.unread_attributes",
)
