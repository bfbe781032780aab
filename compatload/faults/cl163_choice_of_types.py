"""CL163: choices between values of other element types, legacy program that is translated."""

from __future__ import annotations

from collections.abc import Mapping

from compatload.artifact.model import Artifact
from compatload.faults.cl162_list_in_branch import SELECT
from compatload.faults.model import Action, Evidence, Rule

_NUMBERS = frozenset(
    {"bool", "uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64"}
)


def of_other_types(artifact: Artifact) -> Mapping[str, tuple[str, ...]]:
    """What is chosen from and has another element type than what is chosen, by the latter."""
    found: dict[str, tuple[str, ...]] = {}
    for operator in artifact.program.operators:
        if operator.name != SELECT:
            continue
        result, choices = operator.outputs["Out"][0], operator.inputs.get("X", ())
        declared = [artifact.program.variables.get(name) for name in (result, *choices)]
        types = [one.dtype for one in declared if one is not None]
        if len(types) == len(declared) and types[0] in types[1:] and _NUMBERS.issuperset(types):
            others = tuple(name for name, one in zip(choices, types[1:]) if one != types[0])
            found.update({result: others} if others else {})
    return found


RULE = Rule(
    id="CL163",
    title="choices between values of other element types, legacy program that is translated",
    action=Action.REPAIR,
    explanation=(
        "`loss = 0 if negatives.shape[0] == 0 else negatives.sum()`: 2.6 chooses between a whole "
        "number and a float, and computes with either. The translation to PIR wants one type "
        "(`select_input only support same type`). The others are cast to the type that the chosen "
        "value is declared with."
    ),
    without="error",
    evidence=(
        Evidence("measured", "int64 or float32, int32 or int64, saved by 2.6.2: 3.0.0 and 3.3.1"),
        Evidence("measured", "NextViT and two losses of PaddleClas, saved by 2.6.2: an error"),
        Evidence("measured", "the same in predictors, which translate nothing: right"),
    ),
    module="compatload.programs.legacy_repairs.choices_of_types",
)
