"""A product by a vector no longer asks to transpose it, which changes nothing (CL262)."""

from __future__ import annotations

from typing import Any

from compatload.faults.cl262_turned_vector import FLAGS
from compatload.programs.legacy_repairs.program import (
    LegacyProgram,
    arguments,
    attribute_type,
    copied,
    set_attribute,
)
from compatload.programs.pir_graph import Writer


def legacy(program: LegacyProgram, block: Any, operator: Any) -> list[Any]:
    product = copied(operator)
    for slot, flags in zip(("X", "Y"), FLAGS):
        (name,) = arguments(operator.inputs, slot)
        if len(program.shape(block, name) or ()) == 1:
            for flag in flags:
                if attribute_type(product, flag):
                    set_attribute(product, flag, "BOOLEAN", False)
    return [product]


def pir(writer: Writer) -> None:
    vectors = [len(writer.values.tensor(one).dims) == 1 for one in writer.operands]
    dropped = {flag for is_one, flags in zip(vectors, FLAGS) if is_one for flag in flags}
    attributes = [
        {**one, "AT": {**one["AT"], "D": False}} if one["N"] in dropped else one
        for one in writer.original["A"]
    ]
    writer.keep("matmul", A=attributes)
