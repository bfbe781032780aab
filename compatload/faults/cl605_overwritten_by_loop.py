"""CL605: a loop overwrites what oneDNN made or read in front of it, legacy program."""

from __future__ import annotations

from dataclasses import replace

from compatload.artifact.model import LOOPS, Operator
from compatload.faults.cl626_overwritten_beside_reader import makes_raced
from compatload.faults.graph import Graph, values_of
from compatload.faults.model import Action, Alone, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import BINARY, FUSED_ACTIVATIONS, IN_ONEDNN, LEGACY_ON_CPU, PRODUCTS

# What oneDNN has operators for in legacy programs, by what loops are likely to carry.
_TAKEN = (
    BINARY
    | FUSED_ACTIVATIONS
    | PRODUCTS
    | {
        *("cast", "concat", "conv2d", "expand_v2", "fc", "flatten2", "layer_norm", "mul"),
        *("pool2d", "reduce_max", "reduce_mean", "reduce_min", "reduce_sum", "reshape2", "scale"),
        *("slice", "softmax", "split", "squeeze2", "stack", "sum", "transpose2", "unsqueeze2"),
    }
)


def _overwritten(graph: Graph) -> frozenset[str]:
    """What a loop writes, and an operator that oneDNN takes makes or reads in front of it."""
    found: set[str] = set()
    for loop in graph.named(LOOPS):
        written = {value for value in values_of(loop.outputs) if graph.dtype(value) in IN_ONEDNN}
        for one in graph.named(_TAKEN) if written else ():
            if one.block == loop.block and one.index < loop.index:
                found |= written & (values_of(one.inputs) | values_of(one.outputs))
    return frozenset(found)


def _reads_overwritten(operator: Operator, graph: Graph) -> bool:
    if graph.overwritten is None:
        graph.overwritten = _overwritten(graph)
    return not graph.overwritten.isdisjoint(values_of(operator.inputs))


RULE = Rule(
    id="CL605",
    title="a loop overwrites what oneDNN made or read in front of it, legacy program",
    when=(
        replace(LEGACY_ON_CPU, operators=(OperatorPattern(_TAKEN, where=_reads_overwritten),)),
        # As CL626, with a state that another operator of oneDNN made.
        replace(LEGACY_ON_CPU, operators=(OperatorPattern(_TAKEN, where=makes_raced),)),
    ),
    action=Action.DISABLE_ONEDNN,
    explanation=(
        "A state of a loop is a variable that the loop writes anew, outside oneDNN. Where an "
        "operator of oneDNN made that variable, or read it in front of the loop, another one may "
        "be given what an earlier run has left in it: numbers are wrong from the second call on, "
        "now and then. Fused activations ask for oneDNN, so all of it is switched off."
    ),
    without="wrong",
    evidence=(
        Evidence("measured", "a, b = x, x * 2; a, b = a + b, b * 0.5 in a loop: 2.6.2 and 3.3.1"),
        Evidence("measured", "Holt-Winters in a loop, memory optimisation: 0.82 in the 4th call"),
        Evidence("measured", "the same without oneDNN, and as a PIR program: right"),
    ),
    alone=(Alone(647, by_data=True),),
)
