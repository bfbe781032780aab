"""CL212: padding of any dimension (pad), oneDNN, legacy program."""

from __future__ import annotations

from dataclasses import replace

from compatload.faults.model import Action, Alone, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import LEGACY_ON_CPU

RULE = Rule(
    id="CL212",
    title="padding of any dimension (pad), oneDNN, legacy program",
    when=(replace(LEGACY_ON_CPU, operators=(OperatorPattern(frozenset({"pad"})),)),),
    action=Action.WITHOUT_ONEDNN,
    explanation=(
        "The oneDNN kernel takes the paddings from the last dimension to the first, Paddle the "
        "other way round: it writes beyond its buffer, and the process hangs, dies, or returns "
        "another shape. pad3d is not concerned."
    ),
    without="crash",
    evidence=(
        Evidence("measured", "2.6.2 and 3.3.1: eight paddings of 4-D images, 2-D and 3-D ones"),
    ),
    alone=(Alone(424),),
)
