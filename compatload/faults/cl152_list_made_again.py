"""CL152: a list of values that is made before a loop and again in it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from compatload.artifact.model import LOOPS, Operator
from compatload.faults.graph import Graph, bare_name, flows, loops, numbered, owners_of_blocks
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
    "set_value": frozenset({"StartsTensorList", "EndsTensorList", "StepsTensorList"}),
    "slice": frozenset({"StartsTensorList", "EndsTensorList"}),
    "stack": frozenset({"X"}),
    "strided_slice": frozenset({"StartsTensorList", "EndsTensorList", "StridesTensorList"}),
    "sum": frozenset({"X"}),
}
# Whose lists, once translated, are places: what 3.x saves does not hand those on as lists.
_PLACES = frozenset({"set_value", "slice", "strided_slice"})


def made_again(operators: Sequence[Operator]) -> tuple[tuple[Operator, int], ...]:
    """What takes, or makes, in a loop a list that is made outside of that loop, too; or in a branch
    of a loop one that is made around the branch, of values that each round frees. And in how many
    of these it lies."""
    owners = owners_of_blocks(operators)
    if not any(one.name in LOOPS for one in owners.values()):
        return ()
    numbers = numbered(operators)
    turning = {one.block: frozenset(loops(one.block, owners)) for one in operators}
    around = {one.block: frozenset(flows(one.block, owners)) for one in operators}
    made = {v: one.block for one in operators for some in one.outputs.values() for v in some}
    lists: dict[tuple[object, ...], list[Operator]] = {}
    late: set[tuple[object, ...]] = set()
    for operator in operators:
        for values in _lists(operator):
            one = tuple(numbers.get(value, value) for value in values)
            lists.setdefault(one, []).append(operator)
            if operator.name in _PLACES and any(turning[made.get(v, 0)] for v in values):
                late.add(one)
    again: dict[int, tuple[Operator, int]] = {}
    for known, alike in lists.items():
        blocks = {one.block for one in alike}
        for operator in alike if len(blocks) > 1 else ():
            own = turning[operator.block]
            if any(not own <= turning[other] for other in blocks):
                again[id(operator)] = operator, len(own)
            if known in late and any(around[other] < around[operator.block] for other in blocks):
                again[id(operator)] = operator, len(around[operator.block])
    return tuple(again.values())


def _lists(operator: Operator) -> Iterator[tuple[str, ...]]:
    """The values of lists that it takes or makes; those of one that it takes apart are known by
    its first result."""
    name = bare_name(operator)
    if operator.name == COMBINE:
        lists = [tuple(value for values in operator.inputs.values() for value in values)]
    elif name in APART:
        lists = [values[:1] for values in operator.outputs.values() if values][:1]
    else:
        lists = [operator.inputs.get(slot, ()) for slot in LISTS.get(name, ())]
    for values in lists:
        if values:
            yield tuple(values)


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
        "`Tensor holds no memory`, `Tensor not initialized yet`, SIGSEGV. So does a branch of a "
        "loop with a list of values of that round: `if ids[i] == 0: … else: s = s + ids[i]`. In "
        "the loop, or branch, a value of the list is copied."
    ),
    without="error",
    evidence=(
        Evidence("measured", "concat([a, b], 0), then concat([a, b], 1) in a loop: 3.0.0 to 3.3.1"),
        Evidence("measured", "a GRU, then another in a loop, saved by 2.6.2 and 3.3.1: the same"),
        Evidence("measured", "split of one value before a loop and in it: 3.0.0, 3.3.1"),
        Evidence("measured", "x[i], y[i] = … in a loop and in a branch of it: 2.6 → 3.3.1"),
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
