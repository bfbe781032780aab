"""CL245: weights that are rounded to few bits as the program runs, PIR program."""

from __future__ import annotations

from compatload.artifact.model import Operator
from compatload.faults.graph import FIRST, Graph, operand
from compatload.faults.model import (
    PIR,
    PREDICTOR,
    Action,
    Alone,
    Condition,
    Evidence,
    OperatorPattern,
    Rule,
)

_QUANTISERS = frozenset(
    {
        *("fake_quantize_dequantize_moving_average_abs_max", "moving_average_abs_max_scale"),
        *("fake_quantize_moving_average_abs_max", "fake_quantize_range_abs_max"),
        *("quantize_linear", "dequantize_linear"),
    }
)


def _is_computed_once(operator: Operator, graph: Graph) -> bool:
    value = operand(operator, FIRST)
    return value is not None and graph.is_computed_once(value)


RULE = Rule(
    id="CL245",
    title="weights that are rounded to few bits as the program runs, PIR program",
    when=(
        Condition(
            paddle=">=3.0",
            apis=PREDICTOR,
            runs_as=PIR,
            operators=(OperatorPattern(_QUANTISERS, where=_is_computed_once),),
        ),
    ),
    action=Action.AS_LEGACY,
    explanation=(
        "The pass that computes once what depends on no input runs the quantiser of a weight "
        "without the operands that it does not have, and fails: no predictor is made. Without "
        "the pass the numbers are right once and wrong when it is called again. As a legacy "
        "program the model runs."
    ),
    without="error",
    evidence=(Evidence("measured", "a QAT model of a convolution and a layer: 3.0.0 and 3.3.1"),),
    alone=(Alone(442),),
)
