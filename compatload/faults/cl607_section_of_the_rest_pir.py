"""CL607: a split whose section of the rest is not the last one, oneDNN, PIR program."""

from __future__ import annotations

from dataclasses import replace

from compatload.faults.cl606_section_of_the_rest import rest_is_not_last
from compatload.faults.model import Action, Alone, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import PIR_ON_CPU, PLACEMENT_PASS

RULE = Rule(
    id="CL607",
    title="a split whose section of the rest is not the last one, oneDNN, PIR program",
    when=(
        replace(
            PIR_ON_CPU,
            operators=(OperatorPattern(frozenset({"split"}), where=rest_is_not_last),),
        ),
    ),
    action=Action.DELETE_PASSES,
    explanation=(
        "As CL606. A PIR program has no list of what oneDNN may take: the pass that places "
        "operators there is left out."
    ),
    without="wrong",
    evidence=(Evidence("measured", "split([2, -1, 3]) of seven: 2.45, predictor of 3.3.1"),),
    parameters=PLACEMENT_PASS,
    alone=(Alone(649),),
)
