"""CL159: items that one branch sets of a value that had items set before, legacy program."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from compatload.artifact.model import Operator
from compatload.faults.graph import Graph, operand, values_of
from compatload.faults.model import (
    LEGACY,
    LEGACY_PREDICTOR,
    PYTHON,
    Action,
    Alone,
    Condition,
    Evidence,
    Rule,
)
from compatload.frozen import frozen

BRANCH = "conditional_block"
_BEGUN_BY = "fill_constant"
_SETTING = "set_value"


@frozen
class SetInBranch:
    """``value`` is begun by a number in ``block`` and set in ``branch``, where it was ``before``
    until then; the blocks ``others`` read it where that branch did not run."""

    begun: Operator
    value: str
    before: str
    branch: Operator
    others: tuple[Operator, ...]


def set_in_branches(operators: Sequence[Operator]) -> tuple[SetInBranch, ...]:
    if not any(one.name == BRANCH for one in operators):
        return ()
    return tuple(_found(operators))


def _found(operators: Sequence[Operator]) -> Iterator[SetInBranch]:
    begun = {
        one.outputs["Out"][0]: one
        for one in operators
        if one.name == _BEGUN_BY and len(one.outputs.get("Out", ())) == 1
    }
    branches = [one for one in operators if one.name == BRANCH and len(one.sub_blocks) == 1]
    for branch in branches:
        inside = [one for one in operators if one.block == branch.sub_blocks[0]]
        makers = {value: one for one in inside for value in values_of(one.outputs)}
        for value in branch.outputs.get("Out", ()):
            beginning, setting = begun.get(value), makers.get(value)
            if beginning is None or setting is None or beginning.block != branch.block:
                continue
            before = _before(setting, makers)
            readers = [
                one
                for one in operators
                if one.block == branch.block
                and one is not branch
                and value in values_of(one.inputs)
            ]
            others = tuple(one for one in readers if one in branches)
            if before is not None and len(others) == len(readers):
                yield SetInBranch(beginning, value, before, branch, others)


def _before(setting: Operator, makers: dict[str, Operator]) -> str | None:
    """What the items are set of, as it was before the branch; None: it is computed there, or set
    in its own memory."""
    known: list[Operator] = []
    while setting.name == _SETTING and not any(setting is one for one in known):
        known.append(setting)
        value = operand(setting, ("Input",))
        if value is None or value not in makers:
            return value
        setting = makers[value]
    return None


def _setting(graph: Graph, release: str) -> tuple[Operator, ...]:
    return tuple(one.branch for one in set_in_branches(graph.operators))


_IN_2_6 = Condition(paddle="<3.0", apis=PYTHON, formats=LEGACY)

RULE = Rule(
    id="CL159",
    title="items set in a branch, of a value that had items set before, legacy program",
    action=Action.REPAIR,
    explanation=(
        "`y[:, 0] = 0`, then `if …: y[:, 1] = …`: 2.6 takes what the branch sets for the value in "
        "the other branch, too, which reads a number of no meaning where the first one did not "
        "run; and the two ways in which the value is made end every predictor, SIGSEGV in "
        "squared_mat_sub_fuse_pass. The other branch reads the value as it was before."
    ),
    without="crash",
    evidence=(
        Evidence("measured", "four such branches, saved by 2.6.2: predictors of 2.6.2 and 3.3.1"),
        Evidence("measured", "the prompt encoder of SegmentAnything (PaddleSeg): the same"),
        Evidence("measured", "2.6.2's own layer, where the condition does not hold: wrong numbers"),
        Evidence("measured", "without items set before the branch: right"),
    ),
    module="compatload.programs.legacy_repairs.set_in_branch",
    alone=(
        Alone(472, "crash", when=LEGACY_PREDICTOR, sees=_setting),
        Alone(748, "wrong", when=_IN_2_6, sees=_setting, by_data=True),
    ),
)
