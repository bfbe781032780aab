"""An operator computes in float32 what it is given and gives in half precision (CL171, CL181,
CL182)."""

from __future__ import annotations

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
    before: list[Any] = []
    behind: list[Any] = []
    singles: dict[str, str] = {}
    written = copied(operator)
    for slots, casts in ((written.inputs, before), (written.outputs, behind)):
        for slot in slots:
            if slot.parameter == _OF_SHAPES:
                continue
            for place, name in enumerate(slot.arguments):
                kind = program.data_type(block, name)
                if kind not in _HALVES:
                    continue
                if name in singles:  # statistics, which a normalisation writes over
                    slot.arguments[place] = singles[name]
                    if casts is behind and not attribute(written, "is_test"):
                        casts.append(cast(singles[name], FLOAT32, name, kind))
                    continue
                sizes = program.shape(block, name) or ()
                single = singles[name] = program.add_tensor(block, f"{name}.single", FLOAT32, sizes)
                slot.arguments[place] = single
                if casts is before:
                    casts.append(_read(block, name, kind, single))
                    continue
                if operator.type in _LAID_OUT:
                    copy = program.add_tensor(block, f"{name}.copy", FLOAT32, sizes)
                    casts.append(assign(single, copy))
                    single = copy
                casts.append(cast(single, FLOAT32, name, kind))
    for name in _TYPES:
        if attribute(written, name) in _HALVES:
            set_attribute(written, name, attribute_type(written, name) or "INT", FLOAT32)
    return [*before, written, *behind]


def _read(block: Any, name: str, kind: int, single: str) -> Any:
    """``single`` from ``name``. A constant is filled in float32: a cast of it is folded by a
    predictor, in oneDNN, which ends in an error of its own."""
    writers = [one for one in block.ops for slot in one.outputs if name in slot.arguments]
    (writer,) = writers if len(writers) == 1 else (None,)
    if writer is None or writer.type != "fill_constant" or any(x.arguments for x in writer.inputs):
        return cast(name, kind, single, FLOAT32)
    filled = copied(writer)
    set_arguments(filled.outputs, "Out", [single])
    set_attribute(filled, "dtype", attribute_type(filled, "dtype") or "INT", FLOAT32)
    return filled
