"""Attributes and inputs that the translation to PIR does not read, so that results go wrong.

Found by changing every attribute and adding every optional input of each operator of the 2.6.2
registry, one at a time, and looking for translations that came out the same.
"""

from __future__ import annotations

import math
from typing import Any

from compatload.operators.decimals import as_float32
from compatload.programs.legacy_repairs.program import (
    FLOAT32,
    FLOAT64,
    INT64,
    LegacyProgram,
    arguments,
    attribute,
    drop_slot,
    new_operator,
    set_arguments,
    set_attribute,
)
from compatload.programs.legacy_repairs.standard_operators import (
    assign_value,
    cast,
    squeeze,
    unsqueeze,
)

RULE = "CL115"

_INTEGERS = {1: 16, 2: 32, 3: 64, 20: 8, 21: 8}  # VarType number → bits


def _reduce(program: LegacyProgram, block: Any, operator: Any, position: str) -> list[Any] | None:
    """``reduce_all`` outranks ``dim`` in 2.x; 3.x reads ``dim`` alone, where none means all."""
    if not attribute(operator, "reduce_all", False) or not attribute(operator, "dim", ()):
        return None
    set_attribute(operator, "dim", "INTS", [])
    program.record(RULE, "reduce_all: dim is now empty, which means every axis", position)
    return [operator]


def _pow(program: LegacyProgram, block: Any, operator: Any, position: str) -> list[Any] | None:
    """An exponent that is a tensor."""
    exponents = arguments(operator.inputs, "FactorTensor")
    sources = arguments(operator.inputs, "X")
    if len(exponents) != 1 or len(sources) != 1:
        return None
    before: list[Any] = []
    exponent = exponents[0]
    data_type = program.data_type(block, sources[0])
    found = program.data_type(block, exponent)
    if data_type is not None and found is not None and found != data_type:
        same = program.add_tensor(
            block, f"{exponent}.cast", data_type, program.shape(block, exponent) or ()
        )
        before.append(cast(exponent, found, same, data_type))
        exponent = same
    drop_slot(operator.inputs, "FactorTensor")
    set_arguments(operator.inputs, "Y", [exponent])
    set_attribute(operator, "axis", "INT", -1)
    operator.type = "elementwise_pow"
    program.record(RULE, "pow by a tensor became elementwise_pow", position)
    return [*before, operator]


def _elementwise_pow(
    program: LegacyProgram, block: Any, operator: Any, position: str
) -> list[Any] | None:
    """Broadcasting of Y from ``axis`` on, where it does not end at X's last dimension."""
    axis = int(attribute(operator, "axis", -1))
    sources, exponents = (arguments(operator.inputs, slot) for slot in ("X", "Y"))
    if axis < 0 or len(sources) != 1 or len(exponents) != 1:
        return None
    dims, own = program.shape(block, sources[0]), program.shape(block, exponents[0])
    data_type = program.data_type(block, exponents[0])
    if dims is None or own is None or data_type is None or axis + len(own) >= len(dims):
        return None
    trailing = list(range(len(own), len(dims) - axis))
    wide = program.add_tensor(
        block, f"{exponents[0]}.wide", data_type, (*own, *(1 for _ in trailing))
    )
    set_arguments(operator.inputs, "Y", [wide])
    set_attribute(operator, "axis", "INT", -1)
    program.record(RULE, f"axis={axis} became an unsqueeze of Y", position)
    return [unsqueeze(exponents[0], wide, trailing), operator]


def _one_hot(program: LegacyProgram, block: Any, operator: Any, position: str) -> list[Any] | None:
    """A type other than float32."""
    data_type = attribute(operator, "dtype", FLOAT32)
    results = arguments(operator.outputs, "Out")
    if data_type == FLOAT32 or len(results) != 1:
        return None
    if program.data_type(block, results[0]) != data_type:
        return None
    encoded = program.add_tensor(
        block, f"{results[0]}.float32", FLOAT32, program.shape(block, results[0]) or ()
    )
    set_arguments(operator.outputs, "Out", [encoded])
    set_attribute(operator, "dtype", "INT", FLOAT32)
    program.record(RULE, f"element type {data_type} became a cast", position)
    return [operator, cast(encoded, FLOAT32, results[0], data_type)]


def _fill(program: LegacyProgram, block: Any, operator: Any, position: str) -> list[Any] | None:
    """``str_value`` outranks ``value`` in 2.x, which has only the precision of a float32."""
    text = attribute(operator, "str_value", "")
    data_type = int(attribute(operator, "dtype", FLOAT32))
    if not text or arguments(operator.inputs, "ValueTensor"):
        return None
    number = _number(text, data_type)
    value = float(attribute(operator, "value", 0.0))
    if number is None or _same(number, value, data_type):
        return None
    rounded = as_float32(number)
    if rounded is not None and _same(number, rounded, data_type):
        set_attribute(operator, "value", "FLOAT", rounded)
        program.record(RULE, f"value={value!r} is now {rounded!r}, as str_value says", position)
        return [operator]
    return _fill_exactly(program, block, operator, position, number, data_type)


def _fill_exactly(
    program: LegacyProgram,
    block: Any,
    operator: Any,
    position: str,
    number: int | float,
    data_type: int,
) -> list[Any] | None:
    """A number that no float32 holds: zeros of the shape, plus an assigned value."""
    results = arguments(operator.outputs, "Out")
    if len(results) != 1 or data_type not in (*_INTEGERS, FLOAT64):
        return None
    dims = program.shape(block, results[0]) or ()
    zeros = program.add_tensor(block, f"{results[0]}.zeros", data_type, dims)
    exact = program.add_tensor(block, f"{results[0]}.exact", data_type, (1,))
    set_arguments(operator.outputs, "Out", [zeros])
    set_attribute(operator, "value", "FLOAT", 0.0)
    set_attribute(operator, "str_value", "STRING", "0")
    wide = INT64 if data_type in _INTEGERS else FLOAT64
    assigned = exact
    after: list[Any] = []
    if wide != data_type:
        assigned = program.add_tensor(block, f"{results[0]}.assigned", wide, (1,))
        after.append(cast(assigned, wide, exact, data_type))
    assign = assign_value(assigned, wide, [1], [number])
    if not dims and program.shape(block, results[0]) is not None:
        # A sum with a vector of one would be a vector of one.
        alone = program.add_tensor(block, f"{results[0]}.alone", data_type, ())
        after.append(squeeze(exact, alone, [0]))
        exact = alone
    add = new_operator(
        "elementwise_add",
        {"X": [zeros], "Y": [exact]},
        {"Out": results},
        {"axis": ("INT", -1)},
    )
    program.record(RULE, f"the exact value {number!r} became an assign_value", position)
    return [operator, assign, *after, add]


def _number(text: str, data_type: int) -> int | float | None:
    if data_type not in (*_INTEGERS, FLOAT32, FLOAT64):
        return None
    try:
        number = float(text)
    except ValueError:
        return None
    if data_type not in _INTEGERS:
        return number
    # 2.x reads integers through a double, too; what no longer fits is left as it is.
    return int(number) if abs(number) < 2.0 ** (_INTEGERS[data_type] - 1) else None


def _same(number: int | float, value: float, data_type: int) -> bool:
    if math.isnan(value) or (isinstance(number, float) and math.isnan(number)):
        return math.isnan(value) and isinstance(number, float) and math.isnan(number)
    return number == value or (data_type == FLOAT32 and as_float32(number) == value)


_REDUCTIONS = (
    "reduce_max",
    "reduce_mean",
    "reduce_min",
    "reduce_sum",
)

REPAIRS = {
    **dict.fromkeys(_REDUCTIONS, _reduce),
    "elementwise_pow": _elementwise_pow,
    "fill_constant": _fill,
    "fill_constant_batch_size_like": _fill,
    "one_hot_v2": _one_hot,
    "pow": _pow,
}
