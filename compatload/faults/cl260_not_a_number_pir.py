"""CL260: NaN that oneDNN makes a number of, PIR program."""

from __future__ import annotations

from dataclasses import replace

from compatload.faults.cl259_not_a_number import LOSING, losing
from compatload.faults.model import Action, Alone, Evidence, Rule
from compatload.faults.onednn import PIR_ON_CPU

RULE = Rule(
    id="CL260",
    title="NaN that oneDNN makes a number of, PIR program",
    when=(replace(PIR_ON_CPU, operators=losing(LOSING | {"max", "min"})),),
    action=Action.REWRITE,
    explanation="As CL259, for PIR programs, where largest and smallest values do the same.",
    without="wrong",
    evidence=(Evidence("measured", "63 operators behind y / y with zeros: 7 on 3.0.0 and 3.3.1"),),
    module="compatload.programs.rewritings.double_precision",
    alone=(Alone(665, by_data=True),),
)
