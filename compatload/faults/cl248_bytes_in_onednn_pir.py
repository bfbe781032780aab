"""CL248: bytes added in oneDNN, PIR program."""

from __future__ import annotations

from dataclasses import replace

from compatload.artifact.model import Operator
from compatload.faults.graph import FIRST, Graph, bare_name, operand
from compatload.faults.model import Action, Alone, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import ADDITIONS, PIR_ON_CPU, PLACEMENT_PASS

_BYTES = frozenset({"int8", "uint8"})


def is_of_bytes(operator: Operator, graph: Graph) -> bool:
    """Not of a scale by 1, with which 2.x ends every program."""
    told = operator.attributes
    if bare_name(operator) == "scale" and (told.get("scale"), told.get("bias")) == (1.0, 0.0):
        return False
    return graph.dtype(operand(operator, FIRST)) in _BYTES


RULE = Rule(
    id="CL248",
    title="bytes added in oneDNN, PIR program",
    when=(replace(PIR_ON_CPU, operators=(OperatorPattern(ADDITIONS, where=is_of_bytes),)),),
    action=Action.DELETE_PASSES,
    explanation=(
        "A sum of bytes that does not fit stays at the largest one (200 + 100 is 255) where every "
        "other kernel begins anew (44). In silence. Without the placement pass it is computed "
        "elsewhere."
    ),
    without="wrong",
    evidence=(
        Evidence("measured", "x + y of uint8 and of int8, saved by 3.0.0 and 3.3.1: all 3.x"),
        Evidence("measured", "the same in layers, and on 2.6.2: right"),
    ),
    parameters=PLACEMENT_PASS,
    alone=(Alone(567, by_data=True),),
)
