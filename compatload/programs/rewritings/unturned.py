"""A product by a vector no longer asks to transpose it, which changes nothing (CL262)."""

from __future__ import annotations

from typing import Any

from compatload.operators.products import TRANSPOSE_FIRST, TRANSPOSE_SECOND
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
    for slot, flags in (("X", TRANSPOSE_FIRST), ("Y", TRANSPOSE_SECOND)):
        (name,) = arguments(operator.inputs, slot)
        if len(program.shape(block, name) or ()) == 1:
            for flag in flags:
                if attribute_type(product, flag):
                    set_attribute(product, flag, "BOOLEAN", False)
    return [product]


def pir(writer: Writer) -> None:
    vectors = [len(writer.values.tensor(one).dims) == 1 for one in writer.operands]
    flags = zip(vectors, (TRANSPOSE_FIRST, TRANSPOSE_SECOND))
    dropped = {name for is_vector, names in flags if is_vector for name in names}
    attributes = [
        {**one, "AT": {**one["AT"], "D": False}} if one["N"] in dropped else one
        for one in writer.original["A"]
    ]
    writer.keep("matmul", A=attributes)
