"""CL175: an input or an output of a type that the handles of a predictor do not have."""

from __future__ import annotations

from compatload.artifact.model import Operator
from compatload.faults.graph import FIRST, Graph, operand
from compatload.faults.model import PREDICTOR, Alone, Condition, Evidence, OperatorPattern, Rule

_COMPLEX = frozenset({"complex64", "complex128"})


def _taking(kinds: frozenset[str]) -> OperatorPattern:
    def takes(operator: Operator, graph: Graph) -> bool:
        made = next((value for values in operator.outputs.values() for value in values), None)
        return graph.dtype(made) in kinds

    return OperatorPattern(frozenset({"data", "feed"}), where=takes)


def _giving(kinds: frozenset[str]) -> OperatorPattern:
    def gives(operator: Operator, graph: Graph) -> bool:
        return graph.dtype(operand(operator, FIRST)) in kinds

    return OperatorPattern(frozenset({"fetch"}), where=gives)


RULE = Rule(
    id="CL175",
    title="a type that the handles of a predictor do not take or give",
    when=(
        Condition(apis=PREDICTOR, operators=(_taking(_COMPLEX),)),
        Condition(apis=PREDICTOR, operators=(_giving(_COMPLEX | {"int16"}),)),
        Condition(apis=PREDICTOR, paddle=">=3.0", operators=(_taking(frozenset({"int16"})),)),
    ),
    explanation=(
        "`copy_from_cpu` knows no complex numbers, and 3.x reads int16 as int32; `copy_to_cpu` "
        "knows neither complex numbers nor int16. The predictor is made, and the call ends in an "
        "error. Layers, programs and `inference_only` take and give them."
    ),
    without="error",
    evidence=(
        Evidence("measured", "each type as input and as output, copied by handles: 2.6.2, 3.3.1"),
        Evidence("measured", "int16 as input of 2.6.2: right"),
    ),
    advice="Load it with safe_load(path, inference_only=True).",
    alone=(Alone(740, "error"),),
)
