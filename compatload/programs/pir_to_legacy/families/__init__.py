"""The table: which legacy operator stands for which PIR operator, one module a family."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from compatload.programs.pir_to_legacy.families import (
    activation,
    arrays,
    composed,
    convolution,
    creation,
    detection,
    elementwise,
    fused,
    geometric,
    indexing,
    interpolation,
    linear_algebra,
    loss,
    normalisation,
    quantisation,
    recurrent,
    reduction,
    shape,
    sorting,
    statistics,
)
from compatload.programs.pir_to_legacy.rules import Conversion

_FAMILIES = (
    activation,
    arrays,
    composed,
    convolution,
    creation,
    detection,
    elementwise,
    fused,
    geometric,
    indexing,
    interpolation,
    linear_algebra,
    loss,
    normalisation,
    quantisation,
    recurrent,
    reduction,
    shape,
    sorting,
    statistics,
)


@lru_cache(maxsize=1)
def conversions() -> Mapping[str, Conversion]:
    """Full PIR name (``pd_op.conv2d``) → how it is converted."""
    table: dict[str, Conversion] = {}
    for family in _FAMILIES:
        for name, conversion in family.RULES.items():
            full = name if "." in name else f"pd_op.{name}"
            if full in table:
                raise ValueError(f"{full} stands in two families")
            table[full] = conversion
    return table


def find(name: str) -> tuple[Conversion | None, bool]:
    """The conversion of an operator, and whether it is the in-place form of another one."""
    table = conversions()
    if name in table:
        return table[name], False
    if name.endswith("_"):
        return table.get(name[:-1]), True
    return None, False
