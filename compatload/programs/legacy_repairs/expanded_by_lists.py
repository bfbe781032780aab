"""``expand`` reads its sizes from one tensor (CL179)."""

from __future__ import annotations

from typing import Any

from compatload.programs.legacy_repairs.program import (
    INT64,
    LegacyProgram,
    arguments,
    copied,
    drop_slot,
    new_operator,
    set_arguments,
    set_attribute,
)
from compatload.programs.legacy_repairs.standard_operators import cast, squeeze

RULE = "CL179"
_LIST = "expand_shapes_tensor"


def _of_one_tensor(
    program: LegacyProgram, block: Any, operator: Any, position: str
) -> list[Any] | None:
    sizes = arguments(operator.inputs, _LIST)
    kinds = [program.data_type(block, one) for one in sizes]
    if program.is_loaded_since("3.1") or not sizes or None in kinds:
        return None
    made: list[Any] = []
    numbers = [_number(program, block, one, made) for one in sizes]
    whole = program.add_tensor(block, f"{sizes[0]}.sizes", INT64, (len(sizes),))
    expanded = copied(operator)
    drop_slot(expanded.inputs, _LIST)
    set_arguments(expanded.inputs, "Shape", [whole])
    program.record(RULE, "sizes became one tensor", position)
    stack = new_operator("stack", {"X": numbers}, {"Y": [whole]}, {"axis": ("INT", 0)})
    return [*made, stack, expanded]


def _number(program: LegacyProgram, block: Any, size: str, made: list[Any]) -> str:
    """A size as an int64 without dimensions. A constant stays one: shapes are told from it."""
    number = program.add_tensor(block, f"{size}.number", INT64, ())
    for operator in block.ops if size in program.written_once else ():
        if operator.type == "fill_constant" and arguments(operator.outputs, "Out") == (size,):
            constant = copied(operator)
            set_attribute(constant, "shape", "LONGS", [])
            set_attribute(constant, "dtype", "INT", INT64)
            set_arguments(constant.outputs, "Out", [number])
            made.append(constant)
            return number
    kind = program.data_type(block, size)
    if program.shape(block, size):
        flat = program.add_tensor(block, f"{size}.flat", kind or INT64, ())
        made.append(squeeze(size, flat, [0]))
        size = flat
    made.append(cast(size, kind or INT64, number, INT64))
    return number


REPAIRS = {"expand_v2": _of_one_tensor}
