"""What is chosen has one element type, whichever branch it comes from (CL163)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from compatload.artifact.model import Artifact
from compatload.artifact.program_proto import DATA_TYPES
from compatload.faults.cl162_list_in_branch import SELECT
from compatload.faults.cl163_choice_of_types import OtherTypes
from compatload.programs.legacy_repairs.program import (
    arguments,
    declare_like,
    fill,
    rename,
    set_arguments,
)
from compatload.programs.legacy_repairs.standard_operators import cast

RULE = "CL163"
BRANCH = "conditional_block"


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
                    made = declare_like(block, declared[name], f"{name}/of_{result}")
                    kind = made.type.dense_tensor.tensor.data_type
                    made.type.dense_tensor.tensor.data_type = wanted
                    rename(operator.inputs, {name: made.name})
                    casting = cast(name, kind, made.name, wanted)
                    if name in branches:
                        branch = branches[name]
                        set_arguments(branch.outputs, "Out", [*_results(branch), made.name])
                        inner = desc.blocks[next(_blocks(branch))]
                        fill(inner, [*inner.ops, casting])
                    else:
                        written.append(casting)
                declared[result].type.dense_tensor.tensor.data_type = wanted
            written.append(operator)
        fill(block, written)


def _results(operator: Any) -> tuple[str, ...]:
    return arguments(operator.outputs, "Out")


def _blocks(operator: Any) -> Iterator[int]:
    return (one.block_idx for one in operator.attrs if one.name == "sub_block")
