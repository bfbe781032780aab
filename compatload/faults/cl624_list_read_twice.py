"""CL624: a list of values that two operators read, oneDNN, PIR program."""

from __future__ import annotations

from dataclasses import replace

from compatload.artifact.model import Operator
from compatload.faults.cl152_list_made_again import COMBINE
from compatload.faults.graph import FIRST, Graph, operand
from compatload.faults.model import Action, Alone, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import PIR_ON_CPU

_OF_LISTS = frozenset({"broadcast_tensors", "meshgrid", "multiplex"})


def _is_read_twice(operator: Operator, graph: Graph) -> bool:
    """Whether another operator reads the same list, or one of the same values."""
    read = operand(operator, FIRST)
    maker = graph.producer(read)
    if read is None or maker is None or maker.name != COMBINE:
        return False
    lists = (read, *graph.twins(read))
    return len({user.name for one in lists for user in graph.users.get(one, ())}) > 1


_PATTERNS = (OperatorPattern(_OF_LISTS, where=_is_read_twice),)

RULE = Rule(
    id="CL624",
    title="list of values that two operators read, oneDNN, PIR program",
    when=(replace(PIR_ON_CPU, operators=_PATTERNS),),
    action=Action.DISABLE_ONEDNN,
    explanation=(
        "`multiplex([a, b], i)` and `add_n([a, b])`: Paddle makes one list of both. With oneDNN "
        "what `multiplex`, `meshgrid` or `broadcast_tensors` reads is then put together anew, and "
        "the other operator finds no list, or a wrong one: `input should in execution_info`, "
        "`corrupted double-linked list`, SIGSEGV, a process that hangs."
    ),
    without="crash",
    evidence=(
        Evidence(
            "measured",
            "multiplex, broadcast_tensors and meshgrid, each beside add_n, concat or stack of the "
            "same list: 27 pairs of 27 on 3.3.1; right without oneDNN",
        ),
        Evidence("measured", "add_n, concat, stack and einsum of one list: right"),
        Evidence("measured", "clips and lists of three (matrix.blind), 3.3.1: SIGSEGV"),
    ),
    alone=(Alone(678),),
)
