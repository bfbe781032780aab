"""CL160: sizes with and without dimensions in one list, legacy program that is translated."""

from __future__ import annotations

from collections.abc import Mapping

from compatload.artifact.model import Artifact, Operator, Program
from compatload.faults.graph import values_of
from compatload.faults.model import Action, Evidence, Rule

_CREATED = "fill_constant"
_SLOT = "ShapeTensorList"


def without_dimensions(artifact: Artifact) -> Mapping[frozenset[str], tuple[str, ...]]:
    """Sizes that are numbers, in lists that hold vectors as well, by what the lists are of."""
    program = artifact.program
    lists = (one for one in program.operators if one.name == _CREATED and one.inputs.get(_SLOT))
    found = {values_of(one.outputs): _numbers_among_vectors(one, program) for one in lists}
    return {results: numbers for results, numbers in found.items() if numbers}


def _numbers_among_vectors(operator: Operator, program: Program) -> tuple[str, ...]:
    declared = {value: program.variables.get(value) for value in operator.inputs[_SLOT]}
    ranks = {value: len(one.shape or ()) for value, one in declared.items() if one is not None}
    if set(ranks.values()) != {0, 1}:
        return ()
    return tuple(value for value, rank in ranks.items() if rank == 0)


RULE = Rule(
    id="CL160",
    title="sizes with and without dimensions in one list, legacy program that is translated",
    action=Action.REPAIR,
    explanation=(
        "`paddle.full([paddle.shape(x)[0:1], paddle.shape(x)[1], 4], …)`: 2.6 takes vectors of one "
        "and numbers as sizes side by side. The translation to PIR stacks them, which wants one "
        "shape (`The shape of input[0] and input[1] is expected to be equal`). The numbers become "
        "vectors of one."
    ),
    without="error",
    evidence=(
        Evidence("measured", "full and zeros of such sizes, saved by 2.6.2: 3.0.0 and 3.3.1"),
        Evidence("measured", "PointRend of PaddleSeg, saved by 2.6.2: 3.3.1"),
        Evidence("measured", "reshape, expand, tile, slice and interpolate of such: right"),
    ),
    module="compatload.programs.legacy_repairs.sizes_of_other_ranks",
)
