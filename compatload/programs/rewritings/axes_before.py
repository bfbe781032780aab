"""New axes are made before a tensor is expanded along them (CL618)."""

from __future__ import annotations

from typing import Any

from compatload.programs.legacy_repairs.program import (
    LegacyProgram,
    arguments,
    attribute,
    copied,
)
from compatload.programs.legacy_repairs.standard_operators import with_axes_in_front
from compatload.programs.rewritings.copies import filled


def legacy(program: LegacyProgram, block: Any, operator: Any) -> list[Any] | None:
    (source,) = arguments(operator.inputs, "X")
    lacking = len(attribute(operator, "shape", ())) - len(program.shape(block, source) or ())
    wider = with_axes_in_front(program, block, source, lacking)
    if wider is None:
        return None
    (wide,) = arguments(wider.outputs, "Out")
    return [wider, filled(copied(operator), {"X": wide}, {})]
