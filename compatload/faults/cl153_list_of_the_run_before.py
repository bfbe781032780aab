"""CL153: a list that a program fills and never makes, in 2.6."""

from __future__ import annotations

from compatload.artifact.model import Operator, Program
from compatload.faults.graph import Graph
from compatload.faults.model import LEGACY, PROGRAM, Action, Alone, Condition, Evidence, Rule

# What adds to a list, or holds what does.
FILLING = frozenset({"conditional_block", "while", "write_to_array"})
_WRITES = frozenset({"write_to_array"})
_WRITES_IN_ANY = _WRITES | {"pd_op.array_write_"}


def fills_lists(program: Program) -> bool:
    """Whether it writes to lists of Tensors, which outlive a run."""
    return not _WRITES_IN_ANY.isdisjoint(program.operator_counts)


def _filled(graph: Graph, release: str) -> tuple[Operator, ...]:
    makes = {
        value
        for one in graph.operators
        if one.name not in FILLING
        for values in one.outputs.values()
        for value in values
    }
    return tuple(
        one for one in graph.named(_WRITES) if makes.isdisjoint(one.outputs.get("Out", ()))
    )


RULE = Rule(
    id="CL153",
    title="a list that a program fills and never makes, in 2.6",
    action=Action.REPAIR,
    explanation=(
        "A Python list that grows in a loop is a variable of 2.6's program without an operator "
        "that makes it. paddle.static's executor keeps it from run to run: the second one writes "
        "behind what the first one left, whose memory is gone. `Tensor holds no memory` is said "
        "by the operator that reads the list. It is emptied as a run begins."
    ),
    without="error",
    evidence=(
        Evidence("measured", "x[k] * 2 appended in a loop, saved by 2.6.2 and 3.3.1, run twice"),
        Evidence("measured", "RNNs of cells; the same as a layer, and in predictors: right"),
    ),
    module="compatload.programs.legacy_repairs.lists_kept",
    alone=(Alone(645, when=Condition(paddle="<3.0", apis=PROGRAM, formats=LEGACY), sees=_filled),),
)
