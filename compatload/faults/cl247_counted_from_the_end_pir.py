"""CL247: an order of axes that counts from the end, oneDNN, PIR program."""

from __future__ import annotations

from dataclasses import replace

from compatload.faults.cl246_counted_from_the_end import counts_from_the_end
from compatload.faults.model import Action, Alone, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import PIR_ON_CPU, PLACEMENT_PASS

RULE = Rule(
    id="CL247",
    title="an order of axes that counts from the end, oneDNN, PIR program",
    when=(
        replace(
            PIR_ON_CPU,
            operators=(OperatorPattern(frozenset({"transpose"}), where=counts_from_the_end),),
        ),
    ),
    action=Action.DELETE_PASSES,
    explanation="As CL246, for PIR programs: without the placement pass it runs elsewhere.",
    without="crash",
    evidence=(
        Evidence("measured", "transpose(x, [1, 0, -1]), 3.0.0 to 3.3.1: double free or corruption"),
    ),
    parameters=PLACEMENT_PASS,
    alone=(Alone(447),),
)
