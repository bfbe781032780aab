"""CL213: padding of any dimension (pad), oneDNN, PIR program."""

from __future__ import annotations

from dataclasses import replace

from compatload.faults.model import Action, Alone, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import PIR_ON_CPU, PLACEMENT_PASS

RULE = Rule(
    id="CL213",
    title="padding of any dimension (pad), oneDNN, PIR program",
    when=(replace(PIR_ON_CPU, operators=(OperatorPattern(frozenset({"pad"})),)),),
    action=Action.DELETE_PASSES,
    explanation="As CL212, for PIR programs: without the placement pass pad runs elsewhere.",
    without="crash",
    evidence=(Evidence("measured", "3.0.0 and 3.3.1: hangs, aborts, or wrong shapes"),),
    parameters=PLACEMENT_PASS,
    alone=(Alone(425),),
)
