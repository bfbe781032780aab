"""An operator is given its operand in the type of its result (CL602)."""

from __future__ import annotations

from typing import Any

from compatload.programs.legacy_repairs.program import LegacyProgram, arguments, copied
from compatload.programs.legacy_repairs.standard_operators import cast
from compatload.programs.pir_graph import Writer
from compatload.programs.rewritings.copies import filled


def legacy(program: LegacyProgram, block: Any, operator: Any) -> list[Any] | None:
    """None where the program does not say of what types they are."""
    (source,), (result,) = arguments(operator.inputs, "X"), arguments(operator.outputs, "Out")
    given, wanted = (program.data_type(block, one) for one in (source, result))
    dims = program.shape(block, source)
    if given is None or wanted is None or dims is None:
        return None
    own = program.add_tensor(block, f"{result}.operand", wanted, dims)
    return [cast(source, given, own, wanted), filled(copied(operator), {"X": own}, {})]


def pir(writer: Writer) -> None:
    first, *others = writer.operands
    own = writer.cast(first, writer.result(0).element)
    writer.keep(writer.name, I=[{"%": one} for one in (own, *others)])
