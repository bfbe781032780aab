"""New axes are made before a tensor is expanded along them (CL618)."""

from __future__ import annotations

from typing import Any

from compatload.programs.legacy_repairs.program import (
    LegacyProgram,
    arguments,
    attribute,
    copied,
)
from compatload.programs.legacy_repairs.standard_operators import unsqueeze
from compatload.programs.rewritings.copies import filled


def legacy(program: LegacyProgram, block: Any, operator: Any) -> list[Any] | None:
    (source,) = arguments(operator.inputs, "X")
    kind, dims = program.data_type(block, source), program.shape(block, source)
    if kind is None or dims is None:
        return None
    lacking = len(attribute(operator, "shape", ())) - len(dims)
    wide = program.add_tensor(block, f"{source}.of_more_axes", kind, (*(1,) * lacking, *dims))
    expanded = filled(copied(operator), {"X": wide}, {})
    return [unsqueeze(source, wide, list(range(lacking))), expanded]
