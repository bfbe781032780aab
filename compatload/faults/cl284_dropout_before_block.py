"""CL284: dropout whose result a loop or a branch reads, legacy program."""

from __future__ import annotations

from dataclasses import replace

from compatload.artifact.model import Operator
from compatload.faults.graph import Graph
from compatload.faults.model import (
    LEGACY_PREDICTOR,
    Action,
    Alone,
    Evidence,
    OperatorPattern,
    Rule,
    Sight,
)
from compatload.faults.onednn import DROPOUT, is_downscaling


def _is_read_in_block(operator: Operator, graph: Graph) -> bool:
    """Whether it is taken away, and the block of a loop or a branch still asks for its result."""
    return not is_downscaling(operator) and any(
        user.block != operator.block for user in graph.users_of(operator)
    )


def _read_in(names: frozenset[str]) -> Sight:
    """The dropouts that blocks of these operators read."""

    def sees(graph: Graph, release: str) -> tuple[Operator, ...]:
        blocks = {block for owner in graph.named(names) for block in owner.sub_blocks}
        found = (one for one in graph.named(DROPOUT) if _is_read_in_block(one, graph))
        return tuple(
            one for one in found if any(user.block in blocks for user in graph.users_of(one))
        )

    return sees


RULE = Rule(
    id="CL284",
    title="dropout whose result a loop or a branch reads, legacy program",
    when=(
        replace(
            LEGACY_PREDICTOR,
            operators=(OperatorPattern(DROPOUT, where=_is_read_in_block),),
        ),
    ),
    action=Action.DELETE_PASSES,
    explanation=(
        "A pass takes dropouts away and gives their operand to what reads them, but not to the "
        "operators within a loop or a branch, which look for a value that nobody makes: "
        "`dropout_0.tmp_0 not in VariableScope`, or the process dies."
    ),
    without="crash",
    evidence=(
        Evidence("measured", "cond(…, lambda: dropout(x) * 2, …): SIGSEGV on 2.6.2 and 3.3.1"),
        Evidence("measured", "the same in while_loop: an error at each run, on both"),
    ),
    parameters=("simplify_with_basic_ops_pass",),
    alone=(
        Alone(452, sees=_read_in(frozenset({"conditional_block"}))),
        Alone(547, "error", sees=_read_in(frozenset({"while"}))),
    ),
)
