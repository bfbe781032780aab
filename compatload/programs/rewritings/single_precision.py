"""An operator computes in float32 what it is given and gives in bfloat16 (CL171, CL181)."""

from __future__ import annotations

from typing import Any

from compatload.programs.legacy_repairs.program import (
    BFLOAT16,
    FLOAT32,
    LegacyProgram,
    arguments,
    copied,
)
from compatload.programs.legacy_repairs.standard_operators import assign, cast
from compatload.programs.pir_graph import BFLOAT16 as PIR_BFLOAT16
from compatload.programs.pir_graph import FLOAT32 as PIR_FLOAT32
from compatload.programs.pir_graph import Writer
from compatload.programs.rewritings.copies import filled
from compatload.programs.rewritings.otherwise_typed import computed_in

# A predictor cannot cast what these make (CL267).
_LAID_OUT = frozenset({"conv2d_transpose", "conv2d_transpose_bias"})


def pir(writer: Writer) -> None:
    computed_in(writer, {PIR_BFLOAT16: PIR_FLOAT32}, by_copy=writer.name in _LAID_OUT)


def legacy(program: LegacyProgram, block: Any, operator: Any) -> list[Any] | None:
    """Casts before and behind it; None where a slot holds more than one tensor of bfloat16."""
    before: list[Any] = []
    behind: list[Any] = []
    given: dict[str, str] = {}
    gives: dict[str, str] = {}
    for slots, names in ((operator.inputs, given), (operator.outputs, gives)):
        for slot in slots:
            held = arguments(slots, slot.parameter)
            kinds = [program.data_type(block, name) for name in held]
            if BFLOAT16 not in kinds:
                continue
            if len(held) != 1:
                return None
            name, sizes = held[0], program.shape(block, held[0]) or ()
            single = program.add_tensor(block, f"{name}.single", FLOAT32, sizes)
            names[slot.parameter] = single
            if names is given:
                before.append(cast(name, BFLOAT16, single, FLOAT32))
            else:
                if operator.type in _LAID_OUT:
                    copy = program.add_tensor(block, f"{name}.copy", FLOAT32, sizes)
                    behind.append(assign(single, copy))
                    single = copy
                behind.append(cast(single, FLOAT32, name, BFLOAT16))
    return [*before, filled(copied(operator), given, gives), *behind]
