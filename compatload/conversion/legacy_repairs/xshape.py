"""Missing XShape outputs.

Exports that passed through a clean-up tool lack the ``XShape`` output of reshape2 and its kin.
``paddle.jit.load`` of 3.x appends a backward program, which looks that output up and dies with
``outputs_.end()``. Its contents are never read in inference, so declaring it is enough.
"""

from __future__ import annotations

from typing import Any

from compatload.conversion.legacy_repairs.program import (
    FLOAT32,
    LegacyProgram,
    arguments,
    set_arguments,
)

RULE = "CL110"


def _add_xshape(
    program: LegacyProgram, block: Any, operator: Any, position: str
) -> list[Any] | None:
    if arguments(operator.outputs, "XShape"):
        return None
    sources = arguments(operator.inputs, "X")
    results = arguments(operator.outputs, "Out")
    if len(sources) != 1 or len(results) != 1:
        return None
    data_type = program.data_type(block, sources[0])
    dims = (0, *(program.shape(block, sources[0]) or ()))
    name = program.add_tensor(
        block, f"{results[0]}.xshape", FLOAT32 if data_type is None else data_type, dims
    )
    set_arguments(operator.outputs, "XShape", [name])
    program.record(RULE, f"added the missing output XShape ({name})", position)
    return [operator]


REPAIRS = dict.fromkeys(
    (
        "flatten2",
        "flatten_contiguous_range",
        "reshape2",
        "squeeze2",
        "transpose2",
        "unsqueeze2",
    ),
    _add_xshape,
)
