"""CL273: a single number taken out of a tensor, oneDNN, PIR program."""

from __future__ import annotations

from dataclasses import replace

from compatload.faults.cl272_single_number import SINGLE, told
from compatload.faults.model import Action, Alone, Evidence, Rule
from compatload.faults.onednn import PIR_ON_CPU, PLACEMENT_PASS

RULE = Rule(
    id="CL273",
    title="a single number taken out of a tensor, oneDNN, PIR program",
    when=(replace(PIR_ON_CPU, operators=SINGLE),),
    action=Action.DELETE_PASSES,
    explanation="As CL272, for PIR programs: without the placement pass it runs elsewhere.",
    without="wrong",
    evidence=(Evidence("measured", "linear(x)[0, 0] has shape [1]: 3.0.0 and 3.3.1"),),
    parameters=PLACEMENT_PASS,
    alone=(Alone(575, sees=told),),
)
