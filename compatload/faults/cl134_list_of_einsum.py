"""CL134: a list of tensors that an einsum and another operator read, PIR program."""

from __future__ import annotations

from dataclasses import replace

from compatload.artifact.model import Operator
from compatload.faults.cl232_overwritten import runs_in_onednn
from compatload.faults.graph import FIRST, Graph, operand, result
from compatload.faults.model import Action, Alone, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import PIR_ON_CPU

_EINSUM = frozenset({"einsum"})


def _shares_list(operator: Operator, graph: Graph) -> bool:
    """Whether the same values are put into a list a second time, which a pass makes one of."""
    value = operand(operator, FIRST)
    return value is not None and bool(graph.twins(value))


def _dying(graph: Graph, release: str) -> tuple[Operator, ...]:
    """Those whose tensors oneDNN surely computes."""
    found = (one for one in graph.named(_EINSUM) if _shares_list(one, graph))
    return tuple(one for one in found if _is_of_onednn(one, graph, release))


def _is_of_onednn(operator: Operator, graph: Graph, release: str) -> bool:
    listed = graph.producer(operand(operator, FIRST))
    makers = graph.producers_of(listed) if listed is not None else ()
    return any(runs_in_onednn(maker, result(maker), graph, release) for maker in makers)


RULE = Rule(
    id="CL134",
    title="a list of tensors that an einsum and another operator read, PIR program",
    when=(replace(PIR_ON_CPU, operators=(OperatorPattern(_EINSUM, where=_shares_list),)),),
    action=Action.DELETE_PASSES,
    explanation=(
        "Two lists of the same tensors become one. Where oneDNN computes the tensors, they are "
        "brought into another order for the einsum, and the other reader of the list finds "
        "memory that was given back: the process dies, or `kernel output args (0) defs should "
        "equal op outputs (3)`. Triangular updates of pair representations are two einsums."
    ),
    without="crash",
    evidence=(
        Evidence("measured", "einsum(e, y, z) and einsum(f, y, z), y = 2 * x: 3.0.0 and 3.3.1"),
        Evidence("measured", "einsum(e, y, z) and stack([y, z]): SIGSEGV on both"),
        Evidence("measured", "of what oneDNN makes (15 kinds) and of an input: 3.0.0 and 3.3.1"),
        Evidence("measured", "of inputs, cosines, sums; concat and stack: right"),
    ),
    parameters=("common_subexpression_elimination_pass",),
    alone=(Alone(455, sees=_dying),),
)
