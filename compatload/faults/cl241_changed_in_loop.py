"""CL241: number of a loop that is changed where it lies, PIR program."""

from __future__ import annotations

from dataclasses import replace

from compatload.artifact.model import Operator
from compatload.faults.graph import Graph, operand
from compatload.faults.model import (
    PIR_PREDICTOR,
    Action,
    Alone,
    Evidence,
    OperatorPattern,
    Rule,
)

# Puts numbers in the place of what depends on no input.
FOLDING_PASS = ("constant_folding_pass",)
_COUNTING = frozenset({"assign_out", "increment"})


def _is_of_another_block(operator: Operator, graph: Graph) -> bool:
    """Whether it computes in the memory of a number that an outer block holds, made of numbers."""
    for slot in ("0", "1"):
        value = operand(operator, (slot,))
        maker = graph.producer(value)
        if value is not None and maker is not None and maker.block != operator.block:
            return operator.name.endswith("_")
    return False


def _counted(graph: Graph, release: str) -> tuple[Operator, ...]:
    return tuple(
        one
        for one in graph.named(frozenset({"increment"}))
        if _is_of_another_block(one, graph) and graph.is_computed_once(operand(one, ("0",)) or "")
    )


RULE = Rule(
    id="CL241",
    title="number of a loop that is changed where it lies, PIR program",
    when=(
        replace(PIR_PREDICTOR, operators=(OperatorPattern(_COUNTING, where=_is_of_another_block),)),
    ),
    action=Action.DELETE_PASSES,
    explanation=(
        "The loop of nn.RNN over a cell counts with `increment_`, in the memory of a number that "
        "stands before it. The pass takes that number for a constant and computes the condition "
        "once: the loop never ends."
    ),
    without="crash",
    evidence=(
        Evidence("measured", "nn.RNN(GRUCell), LSTMCell, SimpleRNNCell, BiRNN: 3.0.0 and 3.3.1"),
    ),
    parameters=FOLDING_PASS,
    alone=(Alone(525, sees=_counted),),
)
