"""CL158: a list of sizes that two operators read, legacy program that is translated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from compatload.artifact.model import Operator
from compatload.faults.graph import numbered, values_of
from compatload.faults.model import Action, Evidence, Rule

# Slots of single sizes, which the translation makes a list of.
SLOTS = frozenset(
    {
        *("ShapeTensor", "ShapeTensorList", "expand_shapes_tensor", "repeat_times_tensor"),
        *("StartsTensorList", "EndsTensorList", "StridesTensorList", "SizeTensor"),
    }
)
_SINGLE = {"fill_constant": frozenset({"ShapeTensor"})}  # one tensor of all sizes there


def read_twice(operators: Sequence[Operator]) -> Mapping[frozenset[str], frozenset[str]]:
    """Results of operators with a list of sizes that another one before has read, and those of the
    sizes that operators without such lists read as well."""
    lists = [(one, slot) for one in operators for slot in one.inputs if _is_list(one, slot)]
    if len(lists) < 2:
        return {}
    numbers = numbered(operators)

    def number(value: str) -> int | str:
        return numbers.get(value, value)

    listed = {(one.block, one.index) for one, _ in lists}
    elsewhere = {
        number(value)
        for one in operators
        if (one.block, one.index) not in listed
        for value in values_of(one.inputs)
    }
    found: dict[frozenset[str], frozenset[str]] = {}
    known: set[tuple[int | str, ...]] = set()
    for one, slot in lists:
        sizes = tuple(map(number, one.inputs[slot]))
        if sizes in known and not elsewhere.isdisjoint(sizes):
            results = values_of(one.outputs)
            changed = frozenset(v for v in one.inputs[slot] if number(v) in elsewhere)
            found[results] = found.get(results, frozenset()) | changed
        known.add(sizes)
    return found


def _is_list(operator: Operator, slot: str) -> bool:
    single = _SINGLE.get(operator.name, frozenset())
    return slot in SLOTS and slot not in single and bool(operator.inputs[slot])


RULE = Rule(
    id="CL158",
    title="a list of sizes that two operators read, legacy program that is translated",
    action=Action.REPAIR,
    explanation=(
        "`y.reshape([t, 4, n])`, then `n - 2`, then `z.reshape([t, 4, n])`: translated to PIR, the "
        "two lists are made one by Paddle's common_subexpression_elimination, which then stands "
        "before what reads `n` at last, and that operator computes in its memory: the second "
        "reshape finds `n - 2`. The second list gets copies of such sizes."
    ),
    without="error",
    evidence=(
        Evidence("measured", "reshape, scale or a product, reshape; reshape and expand: 2.6.2"),
        Evidence("measured", "the loss of PhyCRNet (PaddleScience), saved by 2.6.2: an error"),
        Evidence("measured", "the same saved by 3.0 and 3.3, which stack such sizes: right"),
        Evidence("measured", "lists of other sizes, and programs and predictors: right"),
    ),
    module="compatload.programs.legacy_repairs.sizes_read_twice",
)
