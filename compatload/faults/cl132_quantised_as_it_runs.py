"""CL132: weights in 16 bits that the program itself quantises, in another release."""

from __future__ import annotations

from compatload.artifact.model import Operator
from compatload.faults.graph import FIRST, Graph, operand
from compatload.faults.model import (
    LEGACY,
    Action,
    Alone,
    Condition,
    Evidence,
    OperatorPattern,
    Rule,
)
from compatload.faults.origin import across, is_from_before

_QUANTISERS = frozenset({"weight_quantize"})
_SIXTEEN_BITS = frozenset({"float16", "bfloat16"})


def _is_of_sixteen(operator: Operator, graph: Graph) -> bool:
    return graph.dtype(operand(operator, (*FIRST, "x"))) in _SIXTEEN_BITS


def _scaled_from_2_6(operator: Operator, graph: Graph) -> bool:
    """Up to 2.6 the scale of this kind has the dtype of the weight, from 3.0 on it is float32."""
    return (
        operator.attributes.get("algo") == "llm.int8"
        and is_from_before(graph, "3.0")
        and _is_of_sixteen(operator, graph)
    )


RULE = Rule(
    id="CL132",
    title="weights in 16 bits that the program itself quantises, in another release",
    when=(
        *across("3.2", _QUANTISERS, _is_of_sixteen),
        Condition(
            paddle=">=3.0",
            formats=LEGACY,
            operators=(OperatorPattern(_QUANTISERS, where=_scaled_from_2_6),),
        ),
    ),
    action=Action.REFUSE,
    explanation=(
        "Up to 3.1 `weight_quantize` computes scales and quotients of a float16 or bfloat16 weight "
        "in 16 bits, from 3.2 on in float32: scales differ in their last bit, and one weight in a "
        "few hundred by one step. With `llm.int8` 3.0 made the scale float32 as well. In silence."
    ),
    without="wrong",
    evidence=(
        Evidence("measured", "64 x 64 float16: bits of 2.6.2, 3.0.0, 3.1.0, 3.1.1 are the same"),
        Evidence("measured", "the same on 3.2.0, 3.2.2, 3.3.0, 3.3.1: scales 0.0076294, 0.0076256"),
    ),
    advice="Quantise the weights before the model is saved, so that the file has them in int8.",
    alone=(Alone(548),),
)
