"""CL152: a list of values that is made before a loop and again in it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from compatload.artifact.model import LOOPS, Operator
from compatload.faults.graph import Graph, bare_name, loops, numbered, owners_of_blocks
from compatload.faults.model import (
    LAYER,
    LEGACY,
    PIR,
    PREDICTOR,
    Action,
    Alone,
    Condition,
    Evidence,
    Rule,
)

COMBINE = "builtin.combine"
# What takes a value apart, and the slot that it is in; PIR programs name the first two alike.
APART = {
    "distribute_fpn_proposals": "FpnRois",
    "split": "X",
    "split_with_num": "X",
    "unbind": "X",
    "unstack": "X",
}
# Of legacy programs, whose lists the translation to PIR makes: slots that are lists, of one, too.
LISTS: dict[str, frozenset[str]] = {
    **{name: frozenset({slot}) for name, slot in APART.items()},
    "broadcast_tensors": frozenset({"X"}),
    "concat": frozenset({"X"}),
    "einsum": frozenset({"Operands"}),
    "meshgrid": frozenset({"X"}),
    "multiplex": frozenset({"X"}),
    "rnn": frozenset({"PreState", "WeightList"}),
    "stack": frozenset({"X"}),
    "sum": frozenset({"X"}),
}


def made_again(operators: Sequence[Operator]) -> tuple[tuple[Operator, int], ...]:
    """What takes, or makes, in a loop a list that is made outside of that loop, too, and in how
    many loops it lies."""
    owners = owners_of_blocks(operators)
    if not any(one.name in LOOPS for one in owners.values()):
        return ()
    numbers = numbered(operators)
    lists: dict[tuple[object, ...], list[Operator]] = {}
    for operator in operators:
        for one in _lists(operator, numbers):
            lists.setdefault(one, []).append(operator)
    around = {one.block: frozenset(loops(one.block, owners)) for one in operators}
    return tuple(
        (one, len(around[one.block]))
        for alike in lists.values()
        if len(alike) > 1
        for one in alike
        if any(not around[one.block] <= around[other.block] for other in alike)
    )


def _lists(operator: Operator, numbers: Mapping[str, int | str]) -> Iterator[tuple[int | str, ...]]:
    """The values of lists that it takes or makes, as numbers; those of one that it takes apart are
    known by its first result."""
    name = bare_name(operator)
    if operator.name == COMBINE:
        lists = [tuple(value for values in operator.inputs.values() for value in values)]
    elif name in APART:
        lists = [values[:1] for values in operator.outputs.values() if values][:1]
    else:
        lists = [operator.inputs.get(slot, ()) for slot in LISTS.get(name, ())]
    for values in lists:
        if values:
            yield tuple(numbers.get(value, value) for value in values)


def _made_again(graph: Graph, release: str) -> tuple[Operator, ...]:
    return tuple(one for one, _ in made_again(graph.operators))


RULE = Rule(
    id="CL152",
    title="a list of values that is made before a loop and again in it",
    action=Action.REPAIR,
    explanation=(
        "PIR makes a list of what `concat`, `stack` or a recurrent network takes, and of what "
        "`split` yields. Where the same list is made before a loop and in it (`concat([a, b])` "
        "here and there, GRUs that begin with zeros), Paddle's common_subexpression_elimination "
        "lets the loop take the one before it, whose values are freed after the first round: "
        "`Tensor holds no memory`, `Tensor not initialized yet`, SIGSEGV. In the loop a value of "
        "the list is copied."
    ),
    without="error",
    evidence=(
        Evidence("measured", "concat([a, b], 0), then concat([a, b], 1) in a loop: 3.0.0 to 3.3.1"),
        Evidence("measured", "a GRU, then another in a loop, saved by 2.6.2 and 3.3.1: the same"),
        Evidence("measured", "split of one value before a loop and in it: 3.0.0, 3.3.1"),
        Evidence("measured", "the same in a program of paddle.static, or with 2.6: right"),
    ),
    module="compatload.programs.legacy_repairs.lists_made_again",
    alone=(
        Alone(
            636,
            when=Condition(paddle=">=3.0", apis=LAYER, formats=LEGACY),
            sees=_made_again,
        ),
        Alone(
            637,
            when=Condition(paddle=">=3.0", apis=LAYER | PREDICTOR, formats=PIR),
            sees=_made_again,
        ),
    ),
)
