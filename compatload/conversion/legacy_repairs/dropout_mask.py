"""Missing Mask outputs of dropout.

Programs saved for inference lack them. Translated to PIR, the operator then has an empty result,
and Paddle's backward of it dereferences a null type (SIGSEGV in ``DropoutOp::Vjp``; 2.6.2's
classifier fixture, trained on 3.3.1). The mask is not read in inference.
"""

from __future__ import annotations

from typing import Any

from compatload.conversion.legacy_repairs.program import (
    LegacyProgram,
    arguments,
    set_arguments,
)

RULE = "CL114"

_UINT8 = 20


def _add_mask(program: LegacyProgram, block: Any, operator: Any, position: str) -> list[Any] | None:
    results = arguments(operator.outputs, "Out")
    if arguments(operator.outputs, "Mask") or len(results) != 1:
        return None
    dims = tuple(program.shape(block, results[0]) or ())
    name = program.add_tensor(block, f"{results[0]}.mask", _UINT8, dims)
    set_arguments(operator.outputs, "Mask", [name])
    program.record(RULE, f"added the missing output Mask ({name})", position)
    return [operator]


REPAIRS = {"dropout": _add_mask}
