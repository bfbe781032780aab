"""Kernels that compute something else since 3.1: heaviside, digamma at zero (CL142)."""

from __future__ import annotations

from typing import Any

from packaging.version import Version

from compatload.programs.legacy_repairs.program import (
    BOOL,
    LegacyProgram,
    arguments,
    attribute,
    new_operator,
    set_arguments,
)
from compatload.programs.legacy_repairs.standard_operators import (
    elementwise,
    fill_constant,
    scale,
    unsqueeze,
    where,
)

RULE = "CL142"
_SINCE = Version("3.1.0.dev0")
_WRITTEN_SINCE = 3_001_000  # the same, as programs tell it
_REPAIRED = ".plain.compatload_"  # a result of this repair


def _is_mended(program: LegacyProgram) -> bool:
    return bool(program.desc.version.version >= _WRITTEN_SINCE)


def _is_as_at_home(program: LegacyProgram) -> bool:
    return _is_mended(program) is (program.target >= _SINCE)


def _step(program: LegacyProgram, block: Any, operator: Any, position: str) -> list[Any] | None:
    """``heaviside``, whose operands were exchanged where the first has fewer axes."""
    slots = arguments(operator.inputs, "X"), arguments(operator.inputs, "Y")
    if _is_as_at_home(program) or any(len(names) != 1 for names in slots):
        return None
    (first,), (second,) = slots
    dims, others = program.shape(block, first), program.shape(block, second)
    kind = program.data_type(block, first)
    if kind is None or dims is None or others is None or attribute(operator, "axis", -1) != -1:
        return None
    lacking = len(others) - len(dims)
    if lacking <= 0:
        return None
    if _is_mended(program):
        name = program.add_tensor(block, f"{first}.wide", kind, (*(1,) * lacking, *dims))
        set_arguments(operator.inputs, "X", [name])
        program.record(RULE, "heaviside takes operands of as many axes", position)
        return [unsqueeze(first, name, list(range(lacking))), operator]
    # Then the first has more axes than the second, and nothing is to be done again.
    set_arguments(operator.inputs, "X", [second])
    set_arguments(operator.inputs, "Y", [first])
    program.record(RULE, "heaviside takes its operands the other way", position)
    return [operator]


def _pole(program: LegacyProgram, block: Any, operator: Any, position: str) -> list[Any] | None:
    """``digamma`` of zero was NaN, and is endless."""
    source, result = arguments(operator.inputs, "X"), arguments(operator.outputs, "Out")
    if _is_as_at_home(program) or len(source) != 1 or len(result) != 1:
        return None
    kind, dims = program.data_type(block, source[0]), program.shape(block, source[0])
    if kind is None or dims is None or _REPAIRED in result[0]:
        return None
    plain, other, turned = (
        program.add_tensor(block, f"{result[0]}.{part}", kind, dims)
        for part in ("plain", "other", "turned")
    )
    zero, steps = _is_zero(program, block, source[0], result[0], kind, dims)
    if _is_mended(program):
        steps += [
            new_operator("reciprocal", {"X": source}, {"Out": [turned]}, {}),
            scale(turned, other, -1.0),
        ]
    else:
        steps.append(elementwise("elementwise_div", source[0], source[0], other))
    program.record(RULE, "digamma of zero is chosen by where", position)
    return [
        *steps,
        new_operator("digamma", {"X": source}, {"Out": [plain]}, {}),
        where(zero, other, plain, result[0]),
    ]


def _is_zero(
    program: LegacyProgram, block: Any, source: str, stem: str, kind: int, dims: Any
) -> tuple[str, list[Any]]:
    shape = [1] if dims else []
    nothing = program.add_tensor(block, f"{stem}.nothing", kind, shape)
    zero = program.add_tensor(block, f"{stem}.zero", BOOL, dims)
    steps = [fill_constant(nothing, kind, shape, 0.0), elementwise("equal", source, nothing, zero)]
    return zero, steps


REPAIRS = {"digamma": _pole, "elementwise_heaviside": _step}
