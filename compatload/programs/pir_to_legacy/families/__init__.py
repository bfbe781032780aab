"""The table: which legacy operator stands for which PIR operator, one module a family."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from importlib import import_module
from pkgutil import iter_modules

from compatload.artifact.program_proto import OF_A_GRADIENT
from compatload.programs.pir_to_legacy.families.gradients import gradient_of
from compatload.programs.pir_to_legacy.rules import Conversion


@lru_cache(maxsize=1)
def conversions() -> Mapping[str, Conversion]:
    """Full PIR name (``pd_op.conv2d``) → how it is converted. Nothing lists the families."""
    table: dict[str, Conversion] = {}
    for family in iter_modules(__path__, f"{__name__}."):
        for name, conversion in import_module(family.name).RULES.items():
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
    if name.endswith("_") and name[:-1] in table:
        # That of a gradient is one of another operand than the first.
        return table[name[:-1]], not name.endswith(f"{OF_A_GRADIENT}_")
    return gradient_of(name.rstrip("_"), table), False
