"""CL120: assignment into what an earlier call left behind."""

from __future__ import annotations

from compatload.artifact.model import Operator
from compatload.faults.graph import FIRST, Graph, bare_name, operand
from compatload.faults.model import LEGACY, PIR, PREDICTOR, Action, Alone, Condition, Evidence, Rule

# What copies its first operand into the result only where that has no memory yet.
KEEPING = frozenset({"index_put", "index_elementwise_put", "index_elementwise_put_with_tensor"})
# What ends a run, or one round of a loop: nobody frees what goes there.
ENDS = frozenset({"fetch", "shadow_output", "yield"})
_NOT_OF_A_RUN = frozenset({"data", "feed", "parameter", "constant_tensor"})


def _keeping(graph: Graph, release: str) -> tuple[Operator, ...]:
    """Assignments of a legacy program whose result has another name than what they assign to. What
    a branch or a loop yields begins anew."""
    return tuple(
        one
        for one in graph.named(KEEPING)
        if one.block == 0 and one.inputs.get("x") != one.outputs.get("out")
    )


def _kept_at_the_end(graph: Graph, release: str) -> tuple[Operator, ...]:
    """Assignments of a PIR program that yield an output in memory of its own."""
    return tuple(
        one
        for one in graph.named(KEEPING)
        if one.block == 0
        and any(bare_name(user) in ENDS for user in graph.users_of(one))
        and not _is_in_place(one, graph)
    )


def _is_in_place(operator: Operator, graph: Graph) -> bool:
    """Whether a predictor lets it compute in the memory of its first operand."""
    value = operand(operator, FIRST)
    maker = graph.producer(value)
    if value is None or maker is None or bare_name(maker) in _NOT_OF_A_RUN:
        return False
    users = graph.users[value]
    return (
        not graph.is_computed_once(value)  # a stored tensor is never overwritten
        and all(one.block == operator.block for one in users)
        and max(one.index for one in users) == operator.index
        and len(users) == len({one.index for one in users})
    )


RULE = Rule(
    id="CL120",
    title="assignment into what an earlier call left behind",
    action=Action.REPAIR,
    explanation=(
        "`y[mask] = v`, `index_put` and their like copy what is assigned to into the result only "
        "where that has no memory yet. In a predictor results keep theirs from one call to the "
        "next (those of legacy programs all, of PIR programs the outputs), and "
        "memory_optimize_pass gives them that of other values: every call assigns into the "
        "result of the one before, and `accumulate=True` grows. The assignment is made in a copy."
    ),
    without="wrong",
    evidence=(
        Evidence("measured", "y[y > 1] = 0 run twice, or at another size: 2.6.2 to 3.3.1"),
        Evidence("measured", "with memory_optim from the first call on: 2.6.2, 3.0.0, 3.3.1"),
        Evidence("measured", "PIR programs: index_put of an input or a constant that is an output"),
    ),
    module="compatload.programs.legacy_repairs.kept_outputs",
    alone=(
        Alone(620, when=Condition(apis=PREDICTOR, formats=LEGACY), sees=_keeping),
        Alone(621, when=Condition(apis=PREDICTOR, formats=PIR), sees=_kept_at_the_end),
    ),
)
