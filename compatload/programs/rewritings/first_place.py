"""Of an axis that is interpolated to one place, its first is given alone (CL185)."""

from __future__ import annotations

from typing import Any

from compatload.faults.cl144_single_place_by_lines import single_places
from compatload.programs.legacy_repairs.program import (
    LegacyProgram,
    arguments,
    copied,
)
from compatload.programs.legacy_repairs.standard_operators import slice_along
from compatload.programs.pir_graph import Writer
from compatload.programs.rewritings.copies import filled


def legacy(program: LegacyProgram, block: Any, operator: Any) -> list[Any] | None:
    (source,), (result,) = arguments(operator.inputs, "X"), arguments(operator.outputs, "Out")
    kind = program.data_type(block, source)
    given, told = program.shape(block, source), program.shape(block, result)
    if kind is None or given is None or told is None:
        return None
    dims, made = [*given], []
    for axis in single_places(given, told):
        dims[axis] = 1
        first = program.add_tensor(block, f"{result}.first{axis}", kind, dims)
        made.append(slice_along(axis, source, first, 0, 1))
        source = first
    return [*made, filled(copied(operator), {"X": source}, {})]


def pir(writer: Writer) -> None:
    image, *others = writer.operands
    given, told = writer.values.tensor(image), writer.result(0)
    axes = single_places(given.dims, told.dims)
    dims = tuple(1 if axis in axes else size for axis, size in enumerate(given.dims))
    first = writer.sliced(image, axes, (0, 1), type(given)(given.element, dims))
    writer.keep(writer.name, I=[{"%": one} for one in (first, *others)])
