"""An operator computes in float64, which oneDNN has no kernels for (CL259, CL260)."""

from __future__ import annotations

from typing import Any

from compatload.programs.legacy_repairs.program import FLOAT64, LegacyProgram, arguments, copied
from compatload.programs.legacy_repairs.standard_operators import cast
from compatload.programs.pir_graph import FLOAT64 as PIR_FLOAT64
from compatload.programs.pir_graph import Writer
from compatload.programs.rewritings.copies import filled


def legacy(program: LegacyProgram, block: Any, operator: Any) -> list[Any] | None:
    """Casts before and after it; None where it is not of one tensor."""
    source, result = arguments(operator.inputs, "X"), arguments(operator.outputs, "Out")
    if len(source) != 1 or len(result) != 1:
        return None
    told = [
        (program.data_type(block, name), program.shape(block, name)) for name in (*source, *result)
    ]
    if any(kind is None or dims is None for kind, dims in told):
        return None
    (kind, dims), (result_kind, result_dims) = told
    wide = program.add_tensor(block, f"{result[0]}.operand", FLOAT64, dims or ())
    computed = program.add_tensor(block, f"{result[0]}.wide", FLOAT64, result_dims or ())
    return [
        cast(source[0], kind or 0, wide, FLOAT64),
        filled(copied(operator), {"X": wide}, {"Out": computed}),
        cast(computed, FLOAT64, result[0], result_kind or 0),
    ]


def pir(writer: Writer) -> None:
    result = writer.result(0)
    first, *others = writer.operands
    wide = writer.cast(first, PIR_FLOAT64)
    computed = result.with_element(PIR_FLOAT64)
    value = writer.values.new(computed)
    writer.keep(
        writer.name,
        I=[{"%": one} for one in (wide, *others)],
        O=[{"%": value, "TT": computed.as_json()}],
    )
    writer.cast(value, result.element, into=0)
