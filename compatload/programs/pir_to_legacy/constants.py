"""Which PIR values are known before the program runs, and what they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from compatload.programs.pir_to_legacy.graph import Operation, Value

_MAX_ELEMENTS = 4096  # attributes hold shapes and axes, not data
_MAX_STEPS = 64  # how far a chain of casts and stacks is followed
_TRANSPARENT = frozenset({"pd_op.cast", "pd_op.assign", "pd_op.share_data_"})
_JOINING = frozenset({"pd_op.stack", "pd_op.concat"})
_LITERALS = frozenset({"pd_op.assign_value", "pd_op.assign_value_"})


def constant(value: Value, steps: int = _MAX_STEPS) -> Any:
    """The value as a number or a flat list of numbers, or None where it is computed."""
    operation = value.producer
    if operation is None or steps == 0 or _is_overwritten(value):
        return None
    name = operation.name
    if name == "pd_op.full":
        return _filled(operation)
    if name == "pd_op.full_int_array":
        return list(operation.attributes.get("value", ()))
    if name in _LITERALS:
        numbers = [_plain(number, value) for number in operation.attributes.get("values", ())]
        return numbers[0] if value.type.dims == () and len(numbers) == 1 else numbers
    if name == "builtin.combine":
        return _all_known(operation.operands, steps)
    if name in _TRANSPARENT and operation.operands and operation.operands[0] is not None:
        return constant(operation.operands[0], steps - 1)
    if name in _JOINING and operation.operands and operation.operands[0] is not None:
        joined = constant(operation.operands[0], steps - 1)
        return joined if len(value.type.dims) == 1 else None
    return None


def parts(value: Value) -> tuple[Value, ...] | None:
    """The one-element tensors that ``value`` was put together from, as a list or as a stack of
    them, or None where it was not."""
    operation = value.producer
    if operation is not None and operation.name == "pd_op.stack" and len(value.type.dims) == 1:
        listed = operation.operand(0)
        operation = None if listed is None else listed.producer
    if operation is None or operation.name != "builtin.combine":
        return None
    found = tuple(item for item in operation.operands if item is not None)
    single = all(item.type.dims in ((), (1,)) for item in found)
    return found if single and len(found) == len(operation.operands) else None


def single(value: Value) -> Any:
    """The number a one-element tensor holds, or None where it is computed."""
    known = constant(value)
    if isinstance(known, list):
        return known[0] if len(known) == 1 else None
    return known


def _all_known(values: Sequence[Value | None], steps: int) -> list[Any] | None:
    found: list[Any] = []
    for value in values:
        known = None if value is None else constant(value, steps - 1)
        if known is None or len(found) >= _MAX_ELEMENTS:
            return None
        found.extend(known if isinstance(known, list) else [known])
    return found


def _filled(operation: Operation) -> Any:
    number = _plain(operation.attributes.get("value"), operation.results[0])
    shape = operation.attributes.get("shape", [])
    if not shape:
        return number
    count = 1
    for size in shape:
        count *= size
    return [number] * count if 0 <= count <= _MAX_ELEMENTS else None


def _plain(number: Any, value: Value) -> Any:
    """Integers and truth values travel as floats in PIR's files."""
    if not isinstance(number, (int, float)):
        return None
    if value.type.dtype == "bool":
        return bool(number)
    if "int" in value.type.dtype and float(number).is_integer():
        return int(number)
    return number


def _is_overwritten(value: Value) -> bool:
    """In-place operators end in an underscore and write to their first operand."""
    return any(use.name.endswith("_") and use.operand(0) is value for use in value.uses)
