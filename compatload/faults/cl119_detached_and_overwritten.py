"""CL119: a value of detach() that is overwritten."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from compatload.artifact.model import Operator
from compatload.faults.cl232_overwritten import (
    VIEWS,
    is_of_known_size,
    overwriting,
    overwritten_operand,
)
from compatload.faults.graph import FIRST, Graph, bare_name, operand, result
from compatload.faults.model import (
    LEGACY,
    PIR,
    PROGRAM,
    PYTHON,
    Action,
    Alone,
    Condition,
    Evidence,
    Rule,
)
from compatload.faults.onednn import PIR_ON_CPU
from compatload.operators.registry import pir_operators

_COPIES = {"share_data": "assign", "pd_op.share_data_": "pd_op.assign"}
# What leaves numbers where they are, in another shape.
_RESHAPED = frozenset(
    {
        *("flatten", "flatten_contiguous_range", "reshape", "reshape2", "share_data"),
        *("squeeze", "squeeze2", "unsqueeze", "unsqueeze2"),
    }
)
# What was seen to compute in place there, of 37 tried.
_IN_PLACE_IN_2_6 = _RESHAPED | {
    *("abs", "clip", "cos", "cumsum", "elementwise_add", "elementwise_sub", "exp"),
    *("leaky_relu", "relu", "round", "scale", "sigmoid", "softmax", "tanh"),
}
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


def _computed_over(graph: Graph, release: str) -> tuple[Operator, ...]:
    """The same where layers compute in place: in the source, or in a view of it, an operator that
    nothing else reads it after, while what was taken from it is read later. What is computed of
    that one itself gets memory of its own."""
    found = sharing(graph)
    known = pir_operators(release) if found else {}
    return tuple(
        one
        for one in found
        if _is_written_over(
            operand(one, FIRST), result(one), one, graph, lambda user: _is_in_place(user, known)
        )
    )


def _taken_computed_over(graph: Graph, release: str) -> tuple[Operator, ...]:
    """The same in an executor of 2.6, which computes in what was taken from the source."""
    return tuple(
        one
        for one in sharing(graph)
        if _is_written_over(
            result(one), operand(one, FIRST), one, graph, lambda user: user.name in _IN_PLACE_IN_2_6
        )
    )


def _is_written_over(
    memory: str | None,
    other: str | None,
    sharer: Operator,
    graph: Graph,
    is_in_place: Callable[[Operator], bool],
) -> bool:
    """Whether the last that reads ``memory``, or a view of it, writes there, and ``other`` is read
    later."""
    if memory is None or other is None:
        return True
    read, uses = _last_use(other, sharer.block, graph), graph.last_uses((memory,))
    if read is None or not uses.keys() <= {sharer.block}:
        return True  # in branches and loops nothing more is known
    while uses.get(sharer.block, 0) > sharer.index:
        last = uses[sharer.block]
        writer = next(one for one in graph.users[memory] if one.index == last)
        made = result(writer)
        if made is None or memory != overwritten_operand(writer) or not is_in_place(writer):
            return False
        if bare_name(writer) not in _RESHAPED:
            alike = (graph.dtype(made), graph.shape(made)) == (
                graph.dtype(memory),
                graph.shape(memory),
            )
            return read > last and alike and is_of_known_size(memory, graph)
        memory, uses = made, graph.last_uses((made,))
    return False


def _is_in_place(operator: Operator, known: Mapping[str, object]) -> bool:
    return operator.name.endswith("_") or f"{operator.name}_" in known


def _last_use(value: str, block: int, graph: Graph) -> int | None:
    """Where a value, or a view of it, is read last; None where that is in another block."""
    waiting, latest = [value], 0
    while waiting:
        one = waiting.pop()
        for user in graph.users.get(one, ()):
            if user.block != block:
                return None
            latest = max(latest, user.index)
            made = result(user)
            if bare_name(user) in _RESHAPED and operand(user, FIRST) == one and made is not None:
                waiting.append(made)
    return latest


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
        Alone(710, when=Condition(paddle=">=3.0", apis=PYTHON, formats=PIR), sees=_computed_over),
        Alone(711, when=PIR_ON_CPU, sees=_overwritten),
        Alone(712, when=Condition(formats=LEGACY), sees=_with_loops),
        Alone(
            741,
            when=Condition(paddle="<3.0", apis=PROGRAM, formats=LEGACY),
            sees=_taken_computed_over,
        ),
    ),
)
