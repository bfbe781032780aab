"""The operand of fewer axes gets those that it lacks, in front (CL623)."""

from __future__ import annotations

from typing import Any

from compatload.programs.legacy_repairs.program import LegacyProgram, arguments, copied
from compatload.programs.legacy_repairs.standard_operators import unsqueeze
from compatload.programs.pir_graph import Writer
from compatload.programs.rewritings.copies import filled


def legacy(program: LegacyProgram, block: Any, operator: Any) -> list[Any] | None:
    """None where the program does not say what the operands are."""
    dims = {}
    for slot in ("X", "Y"):
        (name,) = arguments(operator.inputs, slot)
        told = program.shape(block, name)
        if told is None:
            return None
        dims[slot] = (len(told), name, told)
    slot = min(dims, key=lambda one: dims[one][0])
    count, name, told = dims[slot]
    lacking = max(count for count, _, _ in dims.values()) - count
    kind = program.data_type(block, name)
    if kind is None:
        return None
    wide = program.add_tensor(block, f"{name}.of_more_axes", kind, (*(1,) * lacking, *told))
    return [
        unsqueeze(name, wide, list(range(lacking))),
        filled(copied(operator), {slot: wide}, {}),
    ]


def pir(writer: Writer) -> None:
    tensors = [writer.values.tensor(value) for value in writer.operands]
    axes = [len(one.dims) for one in tensors]
    place = axes.index(min(axes))
    lacking, few = max(axes) - min(axes), tensors[place]
    wide = type(few)(few.element, (*(1,) * lacking, *few.dims))
    operands = writer.operands
    operands[place] = writer.emit(
        "unsqueeze", [operands[place], writer.integers(range(lacking))], wide
    )
    writer.keep(writer.name, I=[{"%": value} for value in operands])
