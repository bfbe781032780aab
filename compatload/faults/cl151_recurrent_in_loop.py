"""CL151: a recurrent network in a loop, legacy program."""

from __future__ import annotations

from compatload.artifact.model import Operator
from compatload.faults.graph import Graph, loops
from compatload.faults.model import LEGACY, Action, Alone, Condition, Evidence, Rule

RECURRENT = frozenset({"rnn"})
# The state of its dropout, which inference never fills.
STATE = "DropoutState"


def _in_loop(graph: Graph, release: str) -> tuple[Operator, ...]:
    owners = graph.owners
    return tuple(one for one in graph.named(RECURRENT) if any(loops(one.block, owners)))


RULE = Rule(
    id="CL151",
    title="a recurrent network in a loop, legacy program",
    action=Action.REPAIR,
    explanation=(
        "`nn.LSTM`, `nn.GRU` and `nn.SimpleRNN` keep the state of their dropout in a variable that "
        "inference never fills, and that a loop around them takes and gives. Paddle looks at all "
        "that it takes before it begins: `Tensor not initialized yet when DenseTensor::place() is "
        "called`, at home as well. In the loop it gets a state of its own."
    ),
    without="error",
    evidence=(
        Evidence("measured", "an LSTM in a branch, saved by 2.6.2: right"),
        Evidence("measured", "a GRU in a loop, saved by 2.6.2: 2.6.2, 3.0.0, 3.3.1, all ways"),
    ),
    module="compatload.programs.legacy_repairs.dropout_states",
    alone=(Alone(635, when=Condition(formats=LEGACY), sees=_in_loop),),
)
