"""Makes the attributes of one PIR operator fit the release that is to read them.

The registries (``compatload.operators``) say which attributes an operator has in a release and of
which type; nothing here looks at which release wrote them. Values are read and written as files
hold them: ``{"N": name, "AT": {"#": type, "D": value}}``, not-finite numbers as ``"VD"``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Callable

from compatload.frozen import frozen
from compatload.operators.decimals import shortest_decimal
from compatload.operators.registry import (
    OperatorTable,
    PirOperator,
    known_releases,
    pir_operators,
)

ARRAY = "0.a_array"
# From here on a conversion to float32 rounds to infinity, no longer to the largest float32.
_FLOAT32_OVERFLOW = 3.4028235677973366e38
_EXACT_IN_DOUBLE = frozenset({"0.a_f32", "0.a_i32"})
_INT32 = range(-(2**31), 2**31)

# Attributes that some release added to an operator that existed before → the value that stands
# for what the operator did without it. From the upgrade patches inside the wheels of 3.2.2 and
# 3.3.1 (strings "op_patches:" of libpaddle.so); what they do not name stays an obstacle.
IMPLIED: Mapping[tuple[str, str], Any] = {
    ("pd_op.repeat_interleave", "output_size"): -1,
    ("pd_op.repeat_interleave_with_tensor_index", "output_size"): -1,
    ("pd_op.moe_permute", "using_ue8m0_scale"): False,
    ("pd_op.moe_permute", "return_expert_indices"): False,
    ("pd_op.moe_permute", "override_buffer_size"): -1,
    ("pd_op.moe_unpermute", "using_weighted_combine"): False,
}

# What a ScalarAttribute may be written as.
_SCALARS = frozenset(
    {
        *("0.a_bool", "0.a_i32", "0.a_i64", "0.a_index", "0.a_f32", "0.a_f64"),
        *("0.a_c64", "0.a_c128", "0.a_str", "1.a_scalar"),
    }
)


#: How a change says that only the spelling of a NaN was corrected (see ``_with_readable_nan``).
READABLE_NAN = "NaN, spelled so that Paddle can read it"


class UnfitError(ValueError):
    """A value cannot be expressed in the type asked for."""


@frozen
class Fitted:
    """``attributes`` is None where nothing had to change; ``changes`` and ``obstacles`` are
    sentences without a subject (``"strides: i64 array becomes i32 array"``)."""

    attributes: list[Any] | None
    changes: tuple[str, ...] = ()
    obstacles: tuple[str, ...] = ()


_UNCHANGED = Fitted(None)


def fit_attributes(operator: PirOperator, attributes: Sequence[Any], release: str) -> Fitted:
    """``attributes`` of a file, as ``operator`` of ``release`` takes them."""
    expected = {item.name: item.type for item in operator.attributes}
    fitted: list[Any] = []
    changes: list[str] = []
    obstacles: list[str] = []
    for attribute in attributes:
        name = attribute["N"]
        value = attribute["AT"]
        if name not in expected:
            if _is_known_elsewhere(operator.name, name):
                verdict = _drop(operator.name, name, value, release)
                (changes if verdict.startswith(f"{name}: left out") else obstacles).append(verdict)
                continue
            # Notes such as struct_name belong to no operator; every reader takes them.
            kind = None
        else:
            kind = expected.pop(name)
        try:
            new = _converted(value, kind)
        except UnfitError as error:
            obstacles.append(f"{name}: {error}")
            continue
        if new is value:
            fitted.append(attribute)
        else:
            fitted.append({**attribute, "AT": new})
            changes.append(f"{name}: {_difference(value, new)}")
    for name, kind in expected.items():
        if kind is None:  # not described by the release, so nobody can say that it is needed
            continue
        if (operator.name, name) in IMPLIED:
            value = IMPLIED[operator.name, name]
            fitted.append({"AT": {"#": kind, "D": value}, "N": name})
            changes.append(f"{name}: added with {value!r}, as operators without it behave")
        else:
            obstacles.append(f"{name}: Paddle {release} needs this attribute and the file has none")
    if not changes and not obstacles:
        return _UNCHANGED
    return Fitted(fitted, tuple(changes), tuple(obstacles))


@cache
def _is_known_elsewhere(operator: str, attribute: str) -> bool:
    return any(_declares(pir_operators(item), operator, attribute) for item in known_releases())


def _declares(table: OperatorTable[PirOperator], operator: str, attribute: str) -> bool:
    return operator in table and table[operator].attribute(attribute) is not None


def _drop(operator: str, name: str, value: Mapping[str, Any], release: str) -> str:
    held = value.get("D", value.get("VD"))
    if (operator, name) in IMPLIED and held == IMPLIED[operator, name]:
        return f"{name}: left out, its value {held!r} is what Paddle {release} does without it"
    return f"{name}: Paddle {release} has no such attribute, and its value {held!r} matters"


def _converted(value: Any, kind: str | None) -> Any:
    """``value`` (type and data) as ``kind``; the very same object where it fits already."""
    held = value["#"]
    if kind is None or held == kind or kind == "scalar":
        if kind == "scalar" and held not in _SCALARS:
            raise UnfitError(f"{held} where a number is wanted")
        if held == ARRAY:
            return _converted_array(value, None)
        return _with_readable_nan(value)
    if held == ARRAY and kind.startswith(ARRAY):
        return _converted_array(value, kind[len(ARRAY) + 1 : -1] or None)
    convert = _NUMBERS.get((held, kind))
    if convert is None:
        raise UnfitError(f"{_describe(value)} where {_name(kind)} is wanted")
    return convert(value)


def _converted_array(value: Any, element: str | None) -> Any:
    items = value["D"]
    new = [_converted(item, element) for item in items]
    if element == "0.a_f64":  # factors, which are computed with as they are read (CL124)
        new = [_as_written(after) if after is not item else item for after, item in zip(new, items)]
    if all(after is before for after, before in zip(new, items)):
        return value
    return {**value, "D": new}


def _with_readable_nan(value: Any) -> Any:
    # Every 3.x writes "NaN" and reads only "NAN": a program with such an attribute cannot be
    # loaded by the very Paddle that saved it (measured on 3.0.0 and 3.3.1).
    return {**value, "VD": "NAN"} if value.get("VD") == "NaN" else value


def _to_float32(value: Any) -> Any:
    if "VD" in value:
        return {**_with_readable_nan(value), "#": "0.a_f32"}
    number = value["D"]
    if type(number) not in (int, float):
        raise UnfitError(f"{number!r:.40} is no number")
    if abs(number) >= _FLOAT32_OVERFLOW:  # infinite ones are spelled as VD
        raise UnfitError(f"{number!r:.40} is beyond a 32-bit float")
    return {**value, "#": "0.a_f32"}


def _to_float64(value: Any) -> Any:
    held = {"D": float(value["D"])} if "D" in value else {}
    return {**_with_readable_nan(value), **held, "#": "0.a_f64"}


def with_wide_number(attributes: Sequence[Any]) -> list[Any]:
    """The attributes of a ``full``, its number in double precision: so every 3.x writes it, but its
    translator of legacy programs does not (CL261)."""
    return [
        {**one, "AT": _to_float64(one["AT"])}
        if one["N"] == "value" and one["AT"]["#"] in _EXACT_IN_DOUBLE
        else one
        for one in attributes
    ]


def _as_written(value: Any) -> Any:
    number = value.get("D")
    return {**value, "D": shortest_decimal(number)} if isinstance(number, float) else value


def _to_int32(value: Any) -> Any:
    number = value["D"]
    if type(number) is not int or number not in _INT32:
        raise UnfitError(f"{number!r:.40} is beyond a 32-bit integer")
    return {**value, "#": "0.a_i32"}


def _to_int64(value: Any) -> Any:
    return {**value, "#": "0.a_i64"}


_NUMBERS: Mapping[tuple[str, str], Callable[[Any], Any]] = {
    ("0.a_f64", "0.a_f32"): _to_float32,
    ("0.a_f32", "0.a_f64"): _to_float64,
    ("0.a_i64", "0.a_i32"): _to_int32,
    ("0.a_i32", "0.a_i64"): _to_int64,
}


def _difference(before: Any, after: Any) -> str:
    if _describe(before) == _describe(after):
        return READABLE_NAN
    return f"{_describe(before)} becomes {_describe(after)}"


def _describe(value: Any) -> str:
    if value["#"] == ARRAY:
        kinds = sorted({_name(item["#"]) for item in value["D"]})
        return f"an array of {'/'.join(kinds)}" if kinds else "an empty array"
    return _name(value["#"])


def _name(kind: str) -> str:
    """``0.a_f64`` → ``f64``."""
    return kind.replace("0.a_", "").replace("1.a_", "")
