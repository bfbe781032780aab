"""An output in bfloat16 is given in float32, under the name that it had (CL640)."""

from __future__ import annotations

from typing import Any

from compatload.programs.legacy_repairs.program import (
    BFLOAT16,
    FLOAT32,
    LegacyProgram,
    arguments,
    declare_like,
    rename,
)
from compatload.programs.legacy_repairs.standard_operators import cast
from compatload.programs.pir_graph import FLOAT32 as PIR_FLOAT32
from compatload.programs.pir_graph import Writer


def pir(writer: Writer) -> None:
    (value,) = writer.operands
    single = writer.cast(value, PIR_FLOAT32)
    told = writer.values.tensor(single).as_json()
    results = [{**one, "TT": told} for one in writer.original["O"]]
    writer.keep(writer.name, I=[{"%": single}], O=results)


def legacy(program: LegacyProgram, block: Any, operator: Any) -> list[Any] | None:
    """None where the output is no value that the program computes."""
    (name,) = arguments(operator.inputs, "X")
    variable = program.variable(block, name)
    if variable is None or variable.persistable or program.data_type(block, name) != BFLOAT16:
        return None
    fresh = program.fresh_name(f"{name}.half")
    declare_like(block, variable, fresh)
    for each in program.desc.blocks:
        for one in each.ops:
            if one.type == "fetch":
                continue
            for slots in (one.inputs, one.outputs):
                rename(slots, {name: fresh})
    program.set_data_type(block, name, FLOAT32)
    return [cast(fresh, BFLOAT16, name, FLOAT32), operator]
