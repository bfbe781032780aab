"""What is chosen has one element type, whichever branch it comes from (CL163)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from compatload.artifact.model import Artifact
from compatload.artifact.program_proto import DATA_TYPES
from compatload.faults.cl159_set_in_branch import BRANCH
from compatload.faults.cl162_list_in_branch import SELECT
from compatload.faults.cl163_choice_of_types import OtherTypes
from compatload.programs.legacy_repairs.program import (
    arguments,
    attribute,
    declare_like,
    fill,
    rename,
    set_arguments,
)
from compatload.programs.legacy_repairs.standard_operators import cast

RULE = "CL163"

_NUMBERS = {name: number for number, (name, _) in DATA_TYPES.items()}


def of_one_type(desc: Any, artifact: Artifact, found: Mapping[str, OtherTypes]) -> None:
    """``found``: what has another type than the widest, by what is chosen. What a branch makes is
    cast there: where it is not run, there is nothing to cast."""
    declared = {one.name: one for block in desc.blocks for one in block.vars}
    for block in desc.blocks:
        branches = {name: one for one in block.ops if one.type == BRANCH for name in _results(one)}
        written: list[Any] = []
        for operator in block.ops:
            results = _results(operator) if operator.type == SELECT else ()
            for result in found.keys() & set(results):
                wanted = _NUMBERS[found[result].wanted]
                for name in found[result].others:
                    casting = _cast(block, declared[name], f"{name}/of_{result}", wanted)
                    rename(operator.inputs, {name: casting.outputs[0].arguments[0]})
                    if name in branches:
                        _end_with(desc, branches[name], casting)
                    else:
                        written.append(casting)
                _set_type(declared[result], wanted)
            written.append(operator)
        if len(written) > len(block.ops):
            fill(block, written)


def _cast(block: Any, variable: Any, name: str, wanted: int) -> Any:
    kind = variable.type.dense_tensor.tensor.data_type
    _set_type(declare_like(block, variable, name), wanted)
    return cast(variable.name, kind, name, wanted)


def _set_type(variable: Any, wanted: int) -> None:
    variable.type.dense_tensor.tensor.data_type = wanted


def _end_with(desc: Any, branch: Any, operator: Any) -> None:
    """Puts an operator at the end of what a branch runs, and its results among those of it."""
    set_arguments(branch.outputs, "Out", [*_results(branch), *_results(operator)])
    inner = desc.blocks[attribute(branch, "sub_block")]
    fill(inner, [*inner.ops, operator])


def _results(operator: Any) -> tuple[str, ...]:
    return arguments(operator.outputs, "Out")
