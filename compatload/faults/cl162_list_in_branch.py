"""CL162: lists that a branch appends to."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence

from compatload.artifact.model import Operator
from compatload.faults.graph import Graph, result
from compatload.faults.model import (
    LEGACY,
    LEGACY_PREDICTOR,
    PROGRAM,
    Action,
    Alone,
    Condition,
    Evidence,
    Rule,
)

SELECT = "select_input"
_WRITE = "write_to_array"


def same_lists(operators: Sequence[Operator]) -> Mapping[str, str]:
    """The list behind each value that is chosen among one list and itself: what a branch appends
    to is one list in either case. A chosen one may be chosen from again, around its branch."""
    lists = {one.outputs["Out"][0] for one in operators if one.name == _WRITE}
    same: dict[str, str] = {}
    chosen = [one for one in operators if one.name == SELECT] if lists else []
    for operator in sorted(chosen, key=lambda one: -one.block):  # blocks within come later
        choices = {same.get(name, name) for name in operator.inputs.get("X", ())}
        if len(choices) == 1 and choices <= lists:
            same[operator.outputs["Out"][0]] = choices.pop()
    return same


def choosing(values: Container[str], graph: Graph) -> tuple[Operator, ...]:
    """What makes one of those values by a choice."""
    return tuple(one for one in graph.named(frozenset({SELECT})) if result(one) in values)


def _appending(graph: Graph, release: str) -> tuple[Operator, ...]:
    return choosing(same_lists(graph.operators), graph)


def _appending_to_several(graph: Graph, release: str) -> tuple[Operator, ...]:
    return _appending(graph, release) if len({*same_lists(graph.operators).values()}) > 1 else ()


RULE = Rule(
    id="CL162",
    title="a list that a branch appends to",
    action=Action.REPAIR,
    explanation=(
        "`if y[k].sum() > 0: rows.append(y[k])` in a loop: 2.6 lets the branch append to the one "
        "list there is, chooses between the list and itself, and copies what it chose to the list. "
        "PIR has no such choice of lists (`Type validation failed for the 0th input, got "
        "pd_op.tensor_array`), and predictors of all releases lose lists of such a program "
        "(`Variable type is TensorArray`). The choice and the copy are left out."
    ),
    without="error",
    evidence=(
        Evidence("measured", "one list, two lists, both branches: 2.6.2 → 3.0.0, 3.3.1, layers"),
        Evidence("measured", "two lists, 2.6.2 → 2.6.2, 3.0.0 and 3.3.1, predictor: an error"),
        Evidence("measured", "PaddleNLP's ViterbiDecoder, saved by 2.6.2: right with this"),
    ),
    module="compatload.programs.legacy_repairs.lists_in_branches",
    alone=(
        Alone(746, when=Condition(paddle="<3.0", apis=PROGRAM, formats=LEGACY), sees=_appending),
        Alone(747, when=LEGACY_PREDICTOR, sees=_appending_to_several),
    ),
)
