"""CL163: choices between values of other element types, legacy program."""

from __future__ import annotations

from collections.abc import Mapping

from compatload.artifact.model import Artifact, Operator
from compatload.faults.cl162_list_in_branch import SELECT, choosing
from compatload.faults.graph import Graph
from compatload.faults.model import LEGACY, Action, Alone, Condition, Evidence, Rule
from compatload.frozen import frozen

# The wider, the later.
_NUMBERS = (
    *("bool", "uint8", "int8", "int16", "int32", "int64"),
    *("float16", "float32", "float64"),
)
# As float32 (paddle.jit.dy2static.utils.RETURN_NO_VALUE_MAGIC_NUM, 2.6.2).
_UNDEFINED = (1.7711300426541744e27,)


@frozen
class OtherTypes:
    """What is chosen from and has a narrower element type than the widest, which is wanted."""

    wanted: str
    others: tuple[str, ...]


def of_other_types(artifact: Artifact) -> Mapping[str, OtherTypes]:
    """By what is chosen, whose own type is declared as that of any of them."""
    found: dict[str, OtherTypes] = {}
    for operator in artifact.program.operators:
        if operator.name != SELECT:
            continue
        choices = operator.inputs.get("X", ())
        declared = {name: artifact.program.variables.get(name) for name in choices}
        types = {name: one.dtype or "" for name, one in declared.items() if one is not None}
        kinds = set(types.values())
        if len(types) == len(declared) and len(kinds) > 1 and kinds.issubset(_NUMBERS):
            wanted = max(kinds, key=_NUMBERS.index)
            others = tuple(name for name, kind in types.items() if kind != wanted)
            found[operator.outputs["Out"][0]] = OtherTypes(wanted, others)
    return found


def of_other_known_types(artifact: Artifact) -> Mapping[str, OtherTypes]:
    """Those without a choice of what a branch leaves undefined: the number that Paddle puts there
    has a type that it made up, and where it is not translated, it is not read either."""
    operators = artifact.program.operators
    undefined = {
        name
        for one in operators
        if one.name == "assign_value" and one.attributes.get("fp32_values") == _UNDEFINED
        for name in one.outputs.get("Out", ())
    }
    undefined = {
        name
        for one in operators
        if one.name == SELECT and not undefined.isdisjoint(one.inputs.get("X", ()))
        for name in one.outputs["Out"]
    }
    found = of_other_types(artifact)
    return {name: others for name, others in found.items() if name not in undefined}


def _choosing(graph: Graph, release: str) -> tuple[Operator, ...]:
    return choosing(of_other_known_types(graph.artifact), graph)


RULE = Rule(
    id="CL163",
    title="choices between values of other element types, legacy program",
    action=Action.REPAIR,
    explanation=(
        "`factor = 1`, then `if y.mean() > 0: factor = y.mean() + 1`: 2.6 chooses between a whole "
        "number and a float, and what computes with the chosen one fails in one of both cases "
        "(`The type of data we are trying to retrieve does not match`). The translation to PIR "
        "wants one type (`select_input only support same type`). The others are cast to the "
        "widest."
    ),
    without="error",
    evidence=(
        Evidence("measured", "int64 or float32, int32 or int64, 2.6.2 → 3.0.0 and 3.3.1, layers"),
        Evidence("measured", "a factor and a divisor of such, saved and loaded by 2.6.2, 3.3.1"),
        Evidence("measured", "NextViT and two losses of PaddleClas, saved by 2.6.2: an error"),
    ),
    module="compatload.programs.legacy_repairs.choices_of_types",
    alone=(Alone(745, when=Condition(formats=LEGACY), sees=_choosing, by_data=True),),
)
