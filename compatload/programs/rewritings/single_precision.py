"""An operator computes in float32 what it is given and gives in half precision (CL171, CL181,
CL182)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from compatload.programs.legacy_repairs.program import (
    BFLOAT16,
    FLOAT16,
    FLOAT32,
    LegacyProgram,
    attribute,
    attribute_type,
    copied,
    set_arguments,
    set_attribute,
)
from compatload.programs.legacy_repairs.standard_operators import assign, cast
from compatload.programs.pir_graph import BFLOAT16 as PIR_BFLOAT16
from compatload.programs.pir_graph import FLOAT16 as PIR_FLOAT16
from compatload.programs.pir_graph import FLOAT32 as PIR_FLOAT32
from compatload.programs.pir_graph import Writer
from compatload.programs.rewritings.otherwise_typed import computed_in

# A predictor cannot cast what these make (CL267).
_LAID_OUT = frozenset({"conv2d_transpose", "conv2d_transpose_bias"})
_HALVES = (FLOAT16, BFLOAT16)
# Attributes that say of which type a result is, and a slot that holds no numbers.
_TYPES = ("dtype", "out_dtype")
_OF_SHAPES = "XShape"


def pir(writer: Writer) -> None:
    types = dict.fromkeys((PIR_FLOAT16, PIR_BFLOAT16), PIR_FLOAT32)
    computed_in(writer, types, by_copy=writer.name in _LAID_OUT)


def legacy(program: LegacyProgram, block: Any, operator: Any) -> list[Any]:
    written = copied(operator)
    singles: dict[str, str] = {}
    before: list[Any] = []
    behind: list[Any] = []
    for slot, place, name, kind in _halves(program, block, written.inputs):
        if name not in singles:
            singles[name] = _declared(program, block, name, "single")
            before.append(_read(program, name, kind, singles[name]))
        slot.arguments[place] = singles[name]
    for slot, place, name, kind in _halves(program, block, written.outputs):
        # Statistics, which a normalisation writes over where it is trained.
        is_over = name in singles
        if not is_over:
            singles[name] = _declared(program, block, name, "single")
        slot.arguments[place] = singles[name]
        if is_over and attribute(written, "is_test"):
            continue
        source = singles[name]
        if operator.type in _LAID_OUT:
            source = _declared(program, block, name, "copy")
            behind.append(assign(singles[name], source))
        behind.append(cast(source, FLOAT32, name, kind))
    return [*before, _retyped(written), *behind]


def _halves(program: LegacyProgram, block: Any, slots: Any) -> Iterator[tuple[Any, int, str, int]]:
    """What is of 16 bits: its slot, its place there, its name and its type."""
    for slot in slots:
        for place, name in enumerate(slot.arguments):
            kind = program.data_type(block, name)
            if slot.parameter != _OF_SHAPES and kind in _HALVES:
                yield slot, place, name, kind


def _declared(program: LegacyProgram, block: Any, name: str, stem: str) -> str:
    sizes = program.shape(block, name) or ()
    return program.add_tensor(block, f"{name}.{stem}", FLOAT32, sizes)


def _read(program: LegacyProgram, name: str, kind: int, single: str) -> Any:
    """``single`` from ``name``. A constant is filled in float32: a cast of it is folded by a
    predictor, in oneDNN, which ends in an error of its own."""
    if name not in program.constants:
        return cast(name, kind, single, FLOAT32)
    constant = copied(program.constants[name])
    set_arguments(constant.outputs, "Out", [single])
    return _retyped(constant)


def _retyped(operator: Any) -> Any:
    """It, of which the attributes say float32 where they said half precision."""
    for name in _TYPES:
        if attribute(operator, name) in _HALVES:
            set_attribute(operator, name, attribute_type(operator, name) or "INT", FLOAT32)
    return operator
