"""Kernels that compute something else since 3.1 (CL142): heaviside, digamma, powers of zero, and
which floats are equal."""

from __future__ import annotations

from typing import Any

from compatload.faults.cl142_mended_in_3_1 import NEAR
from compatload.programs.legacy_repairs.program import (
    BOOL,
    FLOAT32,
    FLOAT64,
    INT32,
    INT64,
    MADE,
    LegacyProgram,
    arguments,
    attribute,
    new_operator,
    set_arguments,
)
from compatload.programs.legacy_repairs.standard_operators import (
    cast,
    elementwise,
    fill_constant,
    scale,
    where,
    with_axes_in_front,
)

RULE = "CL142"
_MENDED = "3.1"
_LEAST = {INT32: -(2.0**31), INT64: -(2.0**63)}
_REPAIRED = f".plain{MADE}"  # a result of this repair
_SIDES = ("plain", "other")


def _step(program: LegacyProgram, block: Any, operator: Any, position: str) -> list[Any] | None:
    """``heaviside``, whose operands were exchanged where the first has fewer axes."""
    slots = arguments(operator.inputs, "X"), arguments(operator.inputs, "Y")
    if not program.crosses(_MENDED) or any(len(names) != 1 for names in slots):
        return None
    (first,), (second,) = slots
    dims, others = program.shape(block, first), program.shape(block, second)
    if dims is None or others is None or attribute(operator, "axis", -1) != -1:
        return None
    lacking = len(others) - len(dims)
    if lacking <= 0:
        return None
    if program.is_saved_since(_MENDED):
        wider = with_axes_in_front(program, block, first, lacking)
        if wider is None:
            return None
        set_arguments(operator.inputs, "X", arguments(wider.outputs, "Out"))
        program.record(RULE, "heaviside takes operands of as many axes", position)
        return [wider, operator]
    # Then the first has more axes than the second, and nothing is to be done again.
    set_arguments(operator.inputs, "X", [second])
    set_arguments(operator.inputs, "Y", [first])
    program.record(RULE, "heaviside takes its operands the other way", position)
    return [operator]


def _pole(program: LegacyProgram, block: Any, operator: Any, position: str) -> list[Any] | None:
    """``digamma`` of zero was NaN, and is endless."""
    source, result = arguments(operator.inputs, "X"), arguments(operator.outputs, "Out")
    if not program.crosses(_MENDED) or len(source) != 1 or len(result) != 1:
        return None
    kind, dims = program.data_type(block, source[0]), program.shape(block, source[0])
    if kind is None or dims is None or _REPAIRED in result[0]:
        return None
    plain, other, turned = (
        program.add_tensor(block, f"{result[0]}.{part}", kind, dims)
        for part in ("plain", "other", "turned")
    )
    zero, _, steps = _is_zero(program, block, source[0], result[0], kind, dims)
    if program.is_saved_since(_MENDED):
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


def _single(operator: Any) -> tuple[str, str, str] | None:
    """Both operands and the result, where they are broadcast as NumPy does."""
    slots = (*(arguments(operator.inputs, name) for name in "XY"),)
    slots = (*slots, arguments(operator.outputs, "Out"))
    if any(len(names) != 1 for names in slots) or attribute(operator, "axis", -1) != -1:
        return None
    (first,), (second,), (result,) = slots
    return first, second, result


def _power(program: LegacyProgram, block: Any, operator: Any, position: str) -> list[Any] | None:
    """Whole zero to a power below zero was the least number, and is zero."""
    operands = None if not program.crosses(_MENDED) else _single(operator)
    if operands is None:
        return None
    base, exponent, result = operands
    kind, dims = program.data_type(block, base), program.shape(block, result)
    bases, exponents = program.shape(block, base), program.shape(block, exponent)
    if kind not in _LEAST or dims is None or bases is None or exponents is None:
        return None
    if _REPAIRED in result:
        return None
    zero, nothing, steps = _is_zero(program, block, base, result, kind, bases)
    below = program.add_tensor(block, f"{result}.below", BOOL, exponents)
    ones, others, both, changed, plain = (
        program.add_tensor(block, f"{result}.{part}", kind, shape)
        for part, shape in (
            *(("ones", bases), ("others", exponents), ("both", dims)),
            *(("changed", dims), ("plain", dims)),
        )
    )
    set_arguments(operator.outputs, "Out", [plain])
    steps += [
        elementwise("less_than", exponent, nothing, below),
        cast(zero, BOOL, ones, kind),
        cast(below, BOOL, others, kind),
        elementwise("elementwise_mul", ones, others, both),
        operator,
    ]
    if program.is_saved_since(_MENDED):
        steps.append(scale(both, changed, -1.0, 1.0))
        joined = "elementwise_mul"
    else:
        steps.append(scale(both, changed, _LEAST[kind]))
        joined = "elementwise_add"
    program.record(RULE, "zero to a power below zero is as at home", position)
    return [*steps, elementwise(joined, plain, changed, result)]


def _equality(program: LegacyProgram, block: Any, operator: Any, position: str) -> list[Any] | None:
    """Floats were equal where less than 1e-8 lies between them, and are where they are the same."""
    operands = None if not program.crosses(_MENDED) else _single(operator)
    if operands is None:
        return None
    first, second, result = operands
    kind, dims = program.data_type(block, first), program.shape(block, result)
    if kind not in (FLOAT32, FLOAT64) or kind != program.data_type(block, second) or dims is None:
        return None
    if MADE in result:  # a repair knows what it compares
        return None
    plain, other = (program.add_tensor(block, f"{result}.{n}", BOOL, dims) for n in _SIDES)
    if program.is_saved_since(_MENDED):
        steps = [
            elementwise("less_equal", first, second, plain),
            elementwise("less_equal", second, first, other),
        ]
        joined = "logical_and"
    else:
        steps = [
            elementwise("equal", first, second, plain),  # of what is endless, too
            *_near(program, block, (first, second), kind, other, dims),
        ]
        joined = "logical_or"
    program.record(RULE, "floats are equal as at home", position)
    if operator.type == "equal":
        return [*steps, _logical(joined, plain, other, result)]
    both = program.add_tensor(block, f"{result}.both", BOOL, dims)
    denied = new_operator("logical_not", {"X": [both]}, {"Out": [result]}, {})
    return [*steps, _logical(joined, plain, other, both), denied]


def _near(
    program: LegacyProgram, block: Any, floats: tuple[str, str], kind: int, result: str, dims: Any
) -> list[Any]:
    """Whether less than 1e-8 lies between two floats. In float64, and without abs, none of it is
    for oneDNN, which the plan has not asked."""
    first, second = floats
    sizes = [1] if dims else []
    x, y, between, least, most = (
        program.add_tensor(block, f"{result}.{part}", FLOAT64, shape)
        for part, shape in (
            *(("x", program.shape(block, first) or ()), ("y", program.shape(block, second) or ())),
            *(("between", dims), ("least", sizes), ("most", sizes)),
        )
    )
    above, below = (program.add_tensor(block, f"{result}.{n}", BOOL, dims) for n in _SIDES)
    return [
        cast(first, kind, x, FLOAT64),
        cast(second, kind, y, FLOAT64),
        elementwise("elementwise_sub", x, y, between),
        fill_constant(least, FLOAT64, sizes, -NEAR),
        fill_constant(most, FLOAT64, sizes, NEAR),
        elementwise("greater_than", between, least, above),
        elementwise("less_than", between, most, below),
        _logical("logical_and", above, below, result),
    ]


def _logical(name: str, first: str, second: str, result: str) -> Any:
    return new_operator(name, {"X": [first], "Y": [second]}, {"Out": [result]}, {})


def _is_zero(
    program: LegacyProgram, block: Any, source: str, stem: str, kind: int, dims: Any
) -> tuple[str, str, list[Any]]:
    """Where the zeros are, the zero that they are compared with, and what makes both."""
    shape = [1] if dims else []
    nothing = program.add_tensor(block, f"{stem}.nothing", kind, shape)
    zero = program.add_tensor(block, f"{stem}.zero", BOOL, dims)
    steps = [fill_constant(nothing, kind, shape, 0.0), elementwise("equal", source, nothing, zero)]
    return zero, nothing, steps


REPAIRS = {
    "digamma": _pole,
    "elementwise_heaviside": _step,
    "elementwise_pow": _power,
    "equal": _equality,
    "not_equal": _equality,
}
