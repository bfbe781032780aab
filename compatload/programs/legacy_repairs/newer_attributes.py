"""Attributes of legacy programs of 3.x that 2.6 does not know and passes over in silence (CL140).

What they ask for is computed by operators that 2.6 has. Attributes without such operators are
CL141's.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from compatload.programs.legacy_repairs.program import (
    BOOL,
    LegacyProgram,
    arguments,
    attribute,
    attribute_type,
    new_operator,
    set_attribute,
)
from compatload.programs.legacy_repairs.rounded_halves import TO_EVEN_SINCE, halves
from compatload.programs.legacy_repairs.standard_operators import (
    elementwise,
    fill_constant,
    reduce_all,
    scale,
    where,
)

RULE = "CL140"
_WRITTEN_BY = 1000000 * TO_EVEN_SINCE.major + 1000 * TO_EVEN_SINCE.minor


def _divergence(
    program: LegacyProgram, block: Any, operator: Any, position: str
) -> list[Any] | None:
    """exp(target) · (target − x), where the target is a logarithm."""
    source, target, result = (
        *(arguments(operator.inputs, slot) for slot in ("X", "Target")),
        arguments(operator.outputs, "Loss"),
    )
    if not attribute(operator, "log_target", False) or not len(source) == len(target) == 1:
        return None
    dims, kind = program.shape(block, source[0]), program.data_type(block, source[0])
    if dims is None or kind is None or len(result) != 1:
        return None
    power, rest, each = (
        program.add_tensor(block, f"{result[0]}.{part}", kind, dims)
        for part in ("power", "rest", "each")
    )
    reduction = attribute(operator, "reduction", "mean")
    loss = result[0] if reduction == "none" else each
    steps = [
        new_operator("exp", {"X": target}, {"Out": [power]}, {}),
        elementwise("elementwise_sub", target[0], source[0], rest),
        elementwise("elementwise_mul", power, rest, loss),
    ]
    if reduction == "batchmean" and len(dims) > 1:
        rows = program.add_tensor(block, f"{result[0]}.rows", kind, dims[:1])
        steps.append(reduce_all("reduce_sum", each, rows, range(1, len(dims))))
        each = rows
    if reduction != "none":
        name = "reduce_sum" if reduction == "sum" else "reduce_mean"
        steps.append(reduce_all(name, each, result[0]))
    program.record(RULE, "kldiv_loss with log_target became exp, a difference and a sum", position)
    return steps


def _threshold(
    program: LegacyProgram, block: Any, operator: Any, position: str
) -> list[Any] | None:
    """``value`` below the threshold."""
    found = _unary(program, block, operator)
    value = attribute(operator, "value", 0.0)
    if found is None or value == 0.0:
        return None
    source, result, kind, dims = found
    limit, filled = _constant(program, block, result, kind, dims)
    above = program.add_tensor(block, f"{result}.above", BOOL, dims)
    others = program.add_tensor(block, f"{result}.others", kind, dims)
    program.record(RULE, f"thresholded_relu with value {value:g} became where", position)
    return [
        filled(attribute(operator, "threshold", 1.0)),
        elementwise("greater_than", source, limit, above),
        new_operator(
            "fill_any_like",
            {"X": [source]},
            {"Out": [others]},
            {"value": ("FLOAT", value), "dtype": ("INT", -1)},
        ),
        where(above, source, others, result),
    ]


def _round(program: LegacyProgram, block: Any, operator: Any, position: str) -> list[Any] | None:
    """To ``decimals``, and halves to even numbers, as 3.1 does."""
    found = _unary(program, block, operator)
    decimals = int(attribute(operator, "decimals", 0))
    to_even = program.desc.version.version >= _WRITTEN_BY
    if found is None or not -38 < decimals < 38 or not (decimals or to_even):
        return None
    source, result, kind, dims = found
    if attribute(operator, "decimals", None) is None:  # repaired before
        return None
    steps: list[Any] = []
    power = 10.0**decimals
    if decimals:
        large = program.add_tensor(block, f"{result}.large", kind, dims)
        steps.append(scale(source, large, power))
        source = large
    whole = program.add_tensor(block, f"{result}.whole", kind, dims) if decimals else result
    if to_even:
        steps += _to_even(program, block, source, whole, kind, dims)
    else:
        steps.append(new_operator("round", {"X": [source]}, {"Out": [whole]}, {}))
    if decimals:
        divisor, filled = _constant(program, block, result, kind, dims)
        steps += [filled(power), elementwise("elementwise_div", whole, divisor, result)]
    program.record(RULE, f"round to {decimals} decimals is spelled out", position)
    return steps


def _to_even(
    program: LegacyProgram, block: Any, source: str, result: str, kind: int, dims: Sequence[int]
) -> list[Any]:
    """Twice the rounded half of a half, which is even; other numbers as 2.6 rounds them."""
    looked, is_half, _ = halves(program, block, source, result, kind, dims)
    smaller, rounded, even, plain = (
        program.add_tensor(block, f"{result}.{part}", kind, dims)
        for part in ("smaller", "rounded", "even", "plain")
    )
    return [
        *looked,
        scale(source, smaller, 0.5),
        new_operator("round", {"X": [smaller]}, {"Out": [rounded]}, {}),
        scale(rounded, even, 2.0),
        new_operator("round", {"X": [source]}, {"Out": [plain]}, {}),
        where(is_half, even, plain, result),
    ]


def _bounds(program: LegacyProgram, block: Any, operator: Any, position: str) -> list[Any] | None:
    """Whole ends of a histogram, which 2.6 reads as integers."""
    ends = {name: attribute(operator, name, 0.0) for name in ("min", "max")}
    told = {attribute_type(operator, name) for name in ends}
    if told != {"FLOAT"} or any(end != int(end) for end in ends.values()):
        return None
    for name, end in ends.items():
        set_attribute(operator, name, "INT", int(end))
    program.record(RULE, "the ends of histogram became integers", position)
    return [operator]


def _unary(
    program: LegacyProgram, block: Any, operator: Any
) -> tuple[str, str, int, tuple[int, ...]] | None:
    source, result = arguments(operator.inputs, "X"), arguments(operator.outputs, "Out")
    if len(source) != 1 or len(result) != 1:
        return None
    kind, dims = program.data_type(block, source[0]), program.shape(block, source[0])
    return None if kind is None or dims is None else (source[0], result[0], kind, dims)


def _constant(
    program: LegacyProgram, block: Any, stem: str, kind: int, dims: Sequence[int]
) -> tuple[str, Any]:
    """A number that fits beside a tensor of these dimensions, and what makes it."""
    shape = [1] if dims else []
    name = program.add_tensor(block, f"{stem}.number", kind, shape)
    return name, lambda value: fill_constant(name, kind, shape, value)


REPAIRS = {
    "histogram": _bounds,
    "kldiv_loss": _divergence,
    "round": _round,
    "thresholded_relu": _threshold,
}
