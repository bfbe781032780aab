"""What is chosen has one element type, whichever branch it comes from (CL163)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from compatload.artifact.model import Artifact
from compatload.artifact.program_proto import DATA_TYPES
from compatload.faults.cl162_list_in_branch import SELECT
from compatload.faults.cl163_choice_of_types import OtherTypes
from compatload.programs.legacy_repairs.program import arguments, declare_like, fill, rename
from compatload.programs.legacy_repairs.standard_operators import cast

RULE = "CL163"


_NUMBERS = {name: number for number, (name, _) in DATA_TYPES.items()}


def of_one_type(desc: Any, artifact: Artifact, found: Mapping[str, OtherTypes]) -> None:
    """``found``: what has another type than the widest, by what is chosen."""
    declared = {one.name: one for block in desc.blocks for one in block.vars}
    for block in desc.blocks:
        written: list[Any] = []
        for operator in block.ops:
            results = arguments(operator.outputs, "Out") if operator.type == SELECT else ()
            for result in found.keys() & set(results):
                wanted = _NUMBERS[found[result].wanted]
                for name in found[result].others:
                    made = declare_like(block, declared[name], f"{name}/of_{result}")
                    kind = made.type.dense_tensor.tensor.data_type
                    made.type.dense_tensor.tensor.data_type = wanted
                    written.append(cast(name, kind, made.name, wanted))
                    rename(operator.inputs, {name: made.name})
                declared[result].type.dense_tensor.tensor.data_type = wanted
            written.append(operator)
        if len(written) > len(block.ops):
            fill(block, written)
