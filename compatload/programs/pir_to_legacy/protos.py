"""What Paddle 2.6.2's legacy operators are: slots, attributes, their types and defaults.

``protos.json`` is written by ``matrix/legacy_protos.py`` with the wheel itself.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from compatload.artifact.program_proto import DATA_TYPES, GRADIENT, OF_A_GRADIENT
from compatload.frozen import frozen
from compatload.operators.registry import legacy_operators
from compatload.programs.pir_to_legacy.graph import DataType

DATA_TYPE_NUMBERS = {name: number for number, (name, _) in DATA_TYPES.items()}
# What every saved operator carries besides its own attributes.
BOOKKEEPING: tuple[tuple[str, str, Any], ...] = (
    ("op_device", "STRING", ""),
    ("op_namescope", "STRING", "/"),
    ("op_role", "INT", 0),
    ("op_role_var", "STRINGS", []),
)
_RELEASE = "2.6.2"
_SPELLED = ("inf", "-inf", "nan")
_INT32 = range(-(2**31), 2**31)
_INT64 = range(-(2**63), 2**63)


class CoercionError(ValueError):
    """A value does not fit the attribute's type."""


@frozen
class Slot:
    """One input or output slot."""

    several: bool
    optional: bool
    intermediate: bool


@frozen
class AttributeProto:
    """``has_default`` is false where the operator must be given a value. ``takes_variable``:
    the name of a variable may stand for the value."""

    type: str
    has_default: bool
    default: Any
    takes_variable: bool


@frozen
class OperatorProto:
    """One legacy operator. ``kernels``: the dtypes that it has kernels for on a CPU; empty where
    that is not told by dtypes."""

    name: str
    inputs: Mapping[str, Slot]
    outputs: Mapping[str, Slot]
    attributes: Mapping[str, AttributeProto]
    kernels: frozenset[str]


@frozen
class VariableValue:
    """An attribute whose value is computed: the names of the variables that hold it."""

    names: tuple[str, ...]
    several: bool


def operator_proto(name: str) -> OperatorProto | None:
    """The operator of that name, or None where 2.6.2 has none."""
    if name in _registry()["operators"]:
        return _operator_proto(name)
    known = forward_of(name) in _registry()["operators"] and name in legacy_operators(_RELEASE)
    return _gradient_proto(name) if known else None


def forward_of(name: str) -> str:
    """The operator that a gradient is of, else ``""``."""
    return name[: -len(OF_A_GRADIENT)] if name.endswith(OF_A_GRADIENT) else ""


def operator_versions() -> Mapping[str, int]:
    """Operator name → version, as 2.6.2 writes it at the tail of every program."""
    versions: Mapping[str, int] = _registry()["versions"]
    return versions


@cache
def _registry() -> dict[str, Any]:
    path = Path(__file__).with_name("protos.json")
    registry: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return registry


@cache
def _operator_proto(name: str) -> OperatorProto:
    described = _registry()["operators"][name]
    return OperatorProto(
        name=name,
        inputs={slot: _slot(marks) for slot, marks in described["inputs"].items()},
        outputs={slot: _slot(marks) for slot, marks in described["outputs"].items()},
        attributes={
            attribute: AttributeProto(
                type=entry[0],
                has_default=len(entry) > 1 and entry[1] is not None,
                default=entry[1] if len(entry) > 1 else None,
                takes_variable=len(entry) > 2,
            )
            for attribute, entry in described["attributes"].items()
        },
        kernels=frozenset(described.get("kernels", ())),
    )


@cache
def _gradient_proto(name: str) -> OperatorProto:
    """2.6 describes no gradient: one may read what its forward reads and gives, and the gradients
    of what that gives; it has the forward's attributes."""
    forward = _operator_proto(forward_of(name))
    every = {**forward.inputs, **forward.outputs}
    inputs = {**every, **{slot + GRADIENT: forward.outputs[slot] for slot in forward.outputs}}
    outputs = {slot + GRADIENT: forward.inputs[slot] for slot in forward.inputs}
    return replace(forward, name=name, inputs=_optional(inputs), outputs=_optional(outputs))


def _optional(slots: Mapping[str, Slot]) -> Mapping[str, Slot]:
    return {name: replace(slot, optional=True, intermediate=False) for name, slot in slots.items()}


def _slot(marks: str) -> Slot:
    return Slot(several="*" in marks, optional="?" in marks, intermediate="~" in marks)


def _whole(value: Any, allowed: range) -> int:
    if isinstance(value, DataType):
        return DATA_TYPE_NUMBERS[value.name] if value.name else -1
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if not isinstance(value, int):
        raise CoercionError(f"{value!r} is not an integer")
    if int(value) not in allowed:
        raise CoercionError(f"{value} does not fit into {allowed.stop.bit_length()} bits")
    return int(value)


def _int32(value: Any) -> int:
    return _whole(value, _INT32)


def _int64(value: Any) -> int:
    return _whole(value, _INT64)


def _real(value: Any) -> float:
    if value in _SPELLED:  # defaults hold infinities as text
        return float(value)
    if not isinstance(value, (bool, int, float)):
        raise CoercionError(f"{value!r} is not a number")
    return float(value)


def _number(value: Any) -> complex:
    """Any one; PIR keeps a complex one as a list of its parts."""
    if isinstance(value, list) and len(value) == 2:
        return complex(*map(_real, value))
    if not isinstance(value, (bool, int, float)):
        raise CoercionError(f"{value!r} is not a number")
    return value


def _single(value: Any) -> float:
    number = _real(value)
    if math.isfinite(number) and abs(number) > 3.4028235677973366e38:
        return math.copysign(math.inf, number)
    return number


def _truth(value: Any) -> bool:
    if not isinstance(value, (bool, int, float)):
        raise CoercionError(f"{value!r} is not a truth value")
    return bool(value)


def _text(value: Any) -> bytes:
    if not isinstance(value, str):
        raise CoercionError(f"{value!r} is not text")
    return value.encode()


_SINGLE = {
    "INT": _int32,
    "LONG": _int64,
    "FLOAT": _single,
    "FLOAT64": _real,
    "BOOLEAN": _truth,
    "STRING": _text,
    "BLOCK": _int32,
}
_LISTS = {
    "INTS": _int32,
    "LONGS": _int64,
    "FLOATS": _single,
    "FLOAT64S": _real,
    "BOOLEANS": _truth,
    "STRINGS": _text,
    "SCALARS": _number,
}


def coerce(value: Any, kind: str) -> Any:
    """``value`` as the attribute type ``kind`` stores it.

    Raises:
        CoercionError: it does not fit.
    """
    if kind in _SINGLE:
        if isinstance(value, list) and len(value) == 1:
            value = value[0]
        return _SINGLE[kind](value)
    if kind in _LISTS:
        items = value if isinstance(value, (list, tuple)) else [value]
        return [_LISTS[kind](item) for item in items]
    raise CoercionError(f"attributes of type {kind} are not supported")
