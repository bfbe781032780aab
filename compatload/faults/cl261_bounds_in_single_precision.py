"""CL261: bounds of a clip that the file keeps in single precision, oneDNN, PIR program."""

from __future__ import annotations

from dataclasses import replace

from compatload.artifact.model import Operator
from compatload.faults.graph import Graph, bare_name
from compatload.faults.model import Action, Alone, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import PIR_ON_CPU


def _is_bound_in_single_precision(operator: Operator, graph: Graph) -> bool:
    return operator.kinds.get("value") != "0.a_f64" and any(
        bare_name(user) == "clip"
        for values in operator.outputs.values()
        for value in values
        for user in graph.users.get(value, ())
    )


RULE = Rule(
    id="CL261",
    title="bounds of a clip that the file keeps in single precision, oneDNN, PIR program",
    when=(
        replace(
            PIR_ON_CPU,
            operators=(OperatorPattern(frozenset({"full"}), where=_is_bound_in_single_precision),),
        ),
    ),
    action=Action.REWRITE,
    explanation=(
        "Every 3.x writes the number of a tensor that is filled with it in double precision, and "
        "its translator of legacy programs in single precision. The passes that make clip a part "
        "of what is before it read double precision and do not look what is there: they follow a "
        "pointer that leads nowhere. The predictor gets the same number in double precision."
    ),
    without="crash",
    evidence=(
        Evidence("measured", "clip behind a layer, its bounds rewritten: 3.0.0 to 3.3.1 dead"),
        Evidence(
            "measured", "saved by 2.6.2, translated by 3.3.1 and saved: create_predictor dead"
        ),
    ),
    alone=(Alone(468),),
    module="compatload.programs.rewritings.wide_numbers",
)
