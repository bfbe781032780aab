"""``round``: halves go away from zero, as up to 3.0 (CL122)."""

from __future__ import annotations

from typing import Any

from packaging.version import Version

from compatload.programs.legacy_repairs.program import (
    BOOL,
    FLOAT32,
    LegacyProgram,
    arguments,
    attribute,
    new_operator,
)
from compatload.programs.legacy_repairs.standard_operators import elementwise, fill_constant

RULE = "CL122"
_TO_EVEN_SINCE = Version("3.1.0.dev0")


def _away_from_zero(
    program: LegacyProgram, block: Any, operator: Any, position: str
) -> list[Any] | None:
    """x + (x − trunc(x)) where that difference is a half; all of it is exact."""
    source, result = arguments(operator.inputs, "X"), arguments(operator.outputs, "Out")
    if program.target < _TO_EVEN_SINCE or len(source) != 1 or len(result) != 1:
        return None
    if attribute(operator, "decimals", None) is not None:  # repaired before, or of another kind
        return None
    data_type, dims = program.data_type(block, source[0]), program.shape(block, source[0])
    if data_type is None or dims is None:
        return None
    number = data_type if data_type is not None else FLOAT32
    whole, rest, size, away, even = (
        program.add_tensor(block, f"{result[0]}.{part}", number, dims)
        for part in ("whole", "rest", "size", "away", "even")
    )
    shape = [1] if dims else []  # of a number without dimensions another is a half
    half = program.add_tensor(block, f"{result[0]}.half", number, shape)
    is_half = program.add_tensor(block, f"{result[0]}.is_half", BOOL, dims)
    program.record(RULE, "round takes halves away from zero", position)
    rounded = new_operator("round", {"X": source}, {"Out": [even]}, {"decimals": ("INT", 0)})
    return [
        rounded,
        new_operator("trunc", {"X": source}, {"Out": [whole]}, {}),
        elementwise("elementwise_sub", source[0], whole, rest),
        new_operator("abs", {"X": [rest]}, {"Out": [size]}, {}),
        fill_constant(half, number, shape, 0.5),
        elementwise("equal", size, half, is_half),
        elementwise("elementwise_add", source[0], rest, away),
        new_operator(
            "where", {"Condition": [is_half], "X": [away], "Y": [even]}, {"Out": result}, {}
        ),
    ]


REPAIRS = {"round": _away_from_zero}
