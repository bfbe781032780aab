"""Tensor arrays, which 2.6 changes in place: every state of one is the same variable."""

from __future__ import annotations

from collections.abc import Mapping

from compatload.programs.pir_to_legacy.constants import parts
from compatload.programs.pir_to_legacy.emitter import Emitter, ObstacleError
from compatload.programs.pir_to_legacy.families.indexing import bounds
from compatload.programs.pir_to_legacy.graph import Operation
from compatload.programs.pir_to_legacy.rules import (
    Conversion,
    rule,
    special,
)
from compatload.programs.pir_to_legacy.steps import cast, given

_TO_THE_LAST = 2**31 - 1


@special("dtype", operands=0)
def _create(operation: Operation, out: Emitter) -> None:
    """An array needs no operator to come into being, only a variable."""
    out.define(operation.results[0], "array")


@special(operands=3)
def _write(operation: Operation, out: Emitter) -> None:
    name = out.operand(operation, 0)
    out.bind(operation.results[0], (name,))
    inputs = {"X": out.operand(operation, 1), "I": out.operand(operation, 2)}
    out.emit("write_to_array", inputs, {"Out": name})


@special("axis use_stack")
def _to_tensor(operation: Operation, out: Emitter) -> None:
    joined, index = operation.results
    names = {
        "Out": out.define(joined, "tensor_array_to_tensor"),
        "OutIndex": out.define(index, "tensor_array_to_tensor"),
    }
    attributes = {name: operation.attributes[name] for name in ("axis", "use_stack")}
    out.emit("tensor_array_to_tensor", {"X": out.operand(operation, 0)}, names, attributes)


@special(operands=3)
def _slice(operation: Operation, out: Emitter) -> None:
    """A part of an array."""
    known = bounds(operation, ("starts", "ends"))
    if len(known) < 2:
        raise ObstacleError("a part of an array has bounds that are computed")
    _cut(operation, out, {"axes": [0], **known})


@special(operands=2)
def _element(operation: Operation, out: Emitter) -> None:
    """One element of an array, by a number that is known, or as a run tells it."""
    known = bounds(operation, ("starts",)).get("starts")
    if known:
        ends = [_TO_THE_LAST if known[0] == -1 else known[0] + 1]
        _cut(operation, out, {"axes": [0], "starts": known, "ends": ends, "decrease_axis": [0]})
        return
    place = given(operation, 1)
    listed = parts(place) or (place,)
    if len(listed) != 1:
        raise ObstacleError("an element of an array has several places")
    (place,) = listed
    index = cast(out, out.name(place), place.type, "int64")
    target = out.define(operation.results[0], "read_from_array")
    out.emit("read_from_array", {"X": out.operand(operation, 0), "I": index}, {"Out": target})


def _cut(operation: Operation, out: Emitter, attributes: Mapping[str, list[int]]) -> None:
    target = out.define(operation.results[0], "slice")
    out.emit("slice", {"Input": out.operand(operation, 0)}, {"Out": target}, attributes)


RULES: Mapping[str, Conversion] = {
    "create_array": _create,
    "array_write_": _write,
    "array_read": rule("read_from_array", "X I"),
    "array_length": rule("lod_array_length"),
    "array_to_tensor": _to_tensor,
    "slice_array": _slice,
    "slice_array_dense": _element,
    "add_n_array": rule("sum"),
}
