"""CL119: a value of detach() that is overwritten."""

from __future__ import annotations

from compatload.artifact.model import Operator
from compatload.faults.cl232_overwritten import VIEWS, overwriting
from compatload.faults.graph import FIRST, Graph, bare_name, operand
from compatload.faults.model import LEGACY, PIR, PYTHON, Action, Alone, Condition, Evidence, Rule
from compatload.faults.onednn import PIR_ON_CPU

_COPIES = {"share_data": "assign", "pd_op.share_data_": "pd_op.assign"}
_NOT_OF_A_RUN = frozenset({"data", "feed", "parameter"})


def sharing(graph: Graph, release: str = "") -> tuple[Operator, ...]:
    """Operators whose result shares memory with a value that somebody else reads as well.

    What was fed and what was stored stays after the run, so it counts as read.
    """
    return tuple(
        one
        for one in graph.named(frozenset({"share_data"}))
        if one.name in _COPIES and _is_read_elsewhere(operand(one, FIRST), graph)
    )


def _is_read_elsewhere(value: str | None, graph: Graph) -> bool:
    maker = graph.producer(value)
    if value is None or maker is None or bare_name(maker) in _NOT_OF_A_RUN:
        return True
    return len(graph.users[value]) > 1


def _overwritten(graph: Graph, release: str) -> tuple[Operator, ...]:
    """The same in memory that an operator outside of oneDNN computes in."""
    found = sharing(graph)
    memories = {value for _, value in overwriting(graph, release)} if found else set()
    return tuple(
        one for one in found if graph.alias_set(operand(one, FIRST) or "", VIEWS)[0] in memories
    )


def _with_loops(graph: Graph, release: str) -> tuple[Operator, ...]:
    """The same in programs of several blocks: what a loop sets anew is set in that memory."""
    return sharing(graph) if any(one.block for one in graph.operators) else ()


RULE = Rule(
    id="CL119",
    title="a value of detach() that is overwritten",
    action=Action.REPAIR,
    explanation=(
        "detach() gives a value the memory of another, and 3.x lets an operator on either compute "
        "in place: of `d = y.detach(); return relu(y), d` both outputs are relu(y), in "
        "paddle.jit.load as in programs and predictors, of PIR programs and of legacy ones that "
        "are translated. Legacy programs themselves go wrong with loops. The value gets memory of "
        "its own where somebody else reads what it was taken from."
    ),
    without="wrong",
    evidence=(
        Evidence("measured", "relu, exp, cos, softmax … beside detach(), 3.0.0 to 3.3.1"),
        Evidence("measured", "saved by 2.6.2: layers and programs of 3.3.1"),
        Evidence("measured", "legacy programs with a loop: wrong or an error, 2.6.2 and 3.3.1"),
    ),
    sees=sharing,
    becomes=_COPIES,
    alone=(
        Alone(710, when=Condition(paddle=">=3.0", apis=PYTHON, formats=PIR), sees=sharing),
        Alone(711, when=PIR_ON_CPU, sees=_overwritten),
        Alone(712, when=Condition(formats=LEGACY), sees=_with_loops),
    ),
)
