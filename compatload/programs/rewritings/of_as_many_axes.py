"""The operand of fewer axes gets those that it lacks, in front (CL623)."""

from __future__ import annotations

from typing import Any

from compatload.programs.legacy_repairs.program import LegacyProgram, arguments, copied
from compatload.programs.legacy_repairs.standard_operators import with_axes_in_front
from compatload.programs.pir_graph import Writer
from compatload.programs.rewritings.copies import filled


def legacy(program: LegacyProgram, block: Any, operator: Any) -> list[Any] | None:
    """None where the program does not say what the operands are."""
    names = {slot: arguments(operator.inputs, slot)[0] for slot in ("X", "Y")}
    axes = {slot: len(program.shape(block, name) or ()) for slot, name in names.items()}
    slot = min(axes, key=lambda one: axes[one])
    wider = with_axes_in_front(program, block, names[slot], max(axes.values()) - axes[slot])
    if wider is None:
        return None
    (wide,) = arguments(wider.outputs, "Out")
    return [wider, filled(copied(operator), {slot: wide}, {})]


def pir(writer: Writer) -> None:
    operands = writer.operands
    axes = [len(writer.values.tensor(value).dims) for value in operands]
    place = axes.index(min(axes))
    operands[place] = writer.with_axes_in_front(operands[place], max(axes) - min(axes))
    writer.keep(writer.name, I=[{"%": value} for value in operands])
