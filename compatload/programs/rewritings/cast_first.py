"""An operator is given its operand in the type of its result (CL602)."""

from __future__ import annotations

from typing import Any

from compatload.programs.legacy_repairs.program import LegacyProgram
from compatload.programs.pir_graph import Writer
from compatload.programs.rewritings.copies import by_copy


def legacy(program: LegacyProgram, block: Any, operator: Any) -> list[Any] | None:
    return by_copy(program, block, operator, "X", "Out", "operand", cast_first=True)


def pir(writer: Writer) -> None:
    first, *others = writer.operands
    own = writer.cast(first, writer.result(0).element)
    writer.keep(writer.name, I=[{"%": one} for one in (own, *others)])
