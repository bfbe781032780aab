"""CL164: the gradient of a view gets its shape from what was viewed.

That of 2.6 reads it from an output of the view that files leave out, and the translation to PIR
looks that output up. What was viewed is named by what the gradient makes: ``NAME@GRAD``.
"""

from __future__ import annotations

from typing import Any

from compatload.artifact.program_proto import GRADIENT
from compatload.faults.cl164_gradients_of_views import VIEWS
from compatload.programs.legacy_repairs.program import (
    INT32,
    LegacyProgram,
    arguments,
    new_operator,
)

RULE = "CL164"
_AGAIN = "grad/"  # in front of the names of a second gradient of one value


def _reshaped(program: LegacyProgram, block: Any, operator: Any, position: str) -> list[Any] | None:
    source = arguments(operator.inputs, f"Out{GRADIENT}")
    result = arguments(operator.outputs, f"X{GRADIENT}")
    if len(source) != 1 or len(result) != 1 or GRADIENT not in result[0]:
        return None
    viewed = result[0][: result[0].rindex(GRADIENT)]
    dims = program.shape(block, viewed)
    while dims is None and viewed.startswith(_AGAIN):
        viewed = viewed[len(_AGAIN) :]
        dims = program.shape(block, viewed)
    if dims is None:
        return None
    sizes = program.add_tensor(block, f"{result[0]}.sizes", INT32, (len(dims),))
    inputs, shape = {"X": source, "Shape": [sizes]}, ("INTS", [*dims])
    program.record(RULE, f"{operator.type} became a reshape", position)
    return [
        new_operator("shape", {"Input": [viewed]}, {"Out": [sizes]}, {}),
        new_operator("reshape2", inputs, {"Out": result}, {"shape": shape}),
    ]


REPAIRS = dict.fromkeys(VIEWS, _reshaped)
