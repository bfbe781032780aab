"""CL185: linear interpolation to a single place, saved before 3.3, since then."""

from __future__ import annotations

from compatload.faults.cl144_single_place_by_lines import OLDER
from compatload.faults.model import Action, Alone, Cause, Evidence, Rule

RULE = Rule(
    id="CL185",
    title="linear interpolation to a single place, saved before 3.3, since then",
    when=(OLDER,),
    action=Action.REWRITE,
    explanation=(
        "As CL144, the other way: what took the first place up to 3.2 takes what is in the middle "
        "from 3.3 on, in silence. It is given the first place alone."
    ),
    without="wrong",
    evidence=(
        Evidence("measured", "16 to 1, (4, 6, 8) to (1, 3, 3), nine releases: otherwise on 3.3"),
    ),
    module="compatload.programs.rewritings.first_place",
    cause=Cause.KERNELS,
    alone=(Alone(776),),
)
