"""Constants of programs that 3.x saved, for 2.6: it looks for them in another attribute."""

from __future__ import annotations

from typing import Any

from compatload.programs.legacy_repairs.program import LegacyProgram, attribute, set_attribute
from compatload.programs.legacy_repairs.standard_operators import holder_of_2_6

RULE = "CL125"


def _typed(program: LegacyProgram, block: Any, operator: Any, position: str) -> list[Any] | None:
    holder = holder_of_2_6(int(attribute(operator, "dtype", -1)))
    scalars = [one.scalars for one in operator.attrs if one.name == "values"]
    if holder is None or not scalars or not len(scalars[0]) or attribute(operator, holder[0], ()):
        return None
    whole = holder[1] in ("INTS", "LONGS")
    numbers = [_number(one, whole) for one in scalars[0]]
    set_attribute(operator, *holder, numbers)
    program.record(RULE, f"values became {holder[0]}", position)
    return [operator]


def _number(scalar: Any, whole: bool) -> float:
    """A Scalar has the field of its type, and no other."""
    held = [value for field, value in scalar.ListFields() if field.name in ("b", "i", "r")]
    number = held[0] if held else 0
    return int(number) if whole else float(number)


REPAIRS = {"assign_value": _typed}
