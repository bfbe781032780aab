"""Tensor arrays, which 2.6 changes in place: every state of one is the same variable."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from compatload.programs.pir_to_legacy.constants import parts
from compatload.programs.pir_to_legacy.emitter import Emitter, ObstacleError
from compatload.programs.pir_to_legacy.families.indexing import bounds
from compatload.programs.pir_to_legacy.graph import Operation, TensorType, Value
from compatload.programs.pir_to_legacy.rules import (
    Conversion,
    rule,
    special,
)
from compatload.programs.pir_to_legacy.steps import cast, filled, given

_PLACE = TensorType("int64", (1,))


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


@special("index", operands=1)
def _pop(operation: Operation, out: Emitter) -> None:
    """The last element, and the others, which stay the same variable."""
    if operation.attributes.get("index") != -1:
        raise ObstacleError("a list loses another element than its last")
    name = out.operand(operation, 0)
    rest, last = operation.results
    _read(name, _known_place([-1], name, out), last, out)
    others = {"axes": [0], "starts": [0], "ends": [-1]}
    kept = out.emit_new("slice", {"Input": name}, "Out", rest.type, others)
    out.emit("assign", {"X": kept}, {"Out": name})
    out.bind(rest, (name,))


@special("axis use_stack")
def _to_tensor(operation: Operation, out: Emitter) -> None:
    joined, index = operation.results
    names = {
        "Out": out.define(joined, "tensor_array_to_tensor"),
        "OutIndex": out.define(index, "tensor_array_to_tensor"),
    }
    attributes = {name: operation.attributes[name] for name in ("axis", "use_stack")}
    if attributes["axis"] < 0:  # 2.6 dies of it (CL168)
        attributes["axis"] += len(joined.type.dims)
    out.emit("tensor_array_to_tensor", {"X": out.operand(operation, 0)}, names, attributes)


@special(operands=3)
def _slice(operation: Operation, out: Emitter) -> None:
    """A part of an array."""
    known = bounds(operation, ("starts", "ends"))
    if len(known) < 2:
        raise ObstacleError("a part of an array has bounds that are computed")
    target = out.define(operation.results[0], "slice")
    attributes = {"axes": [0], **known}
    out.emit("slice", {"Input": out.operand(operation, 0)}, {"Out": target}, attributes)


@special(operands=2)
def _element(operation: Operation, out: Emitter) -> None:
    """One element of an array, by a number that is known, or as a run tells it."""
    array = out.operand(operation, 0)
    known = bounds(operation, ("starts",)).get("starts")
    index = _place(operation, array, out) if known is None else _known_place(known, array, out)
    _read(array, index, operation.results[0], out)


def _read(array: str, index: str, element: Value, out: Emitter) -> None:
    """No ``slice``, which oneDNN takes: 2.6.2's predictor says `Variable type is TensorArray` of
    one in a branch."""
    target = out.define(element, "read_from_array")
    out.emit("read_from_array", {"X": array, "I": index}, {"Out": target})


def _place(operation: Operation, array: str, out: Emitter) -> str:
    place = given(operation, 1)
    listed = parts(place) or (place,)
    if len(listed) != 1:
        raise ObstacleError("an element of an array has several places")
    (place,) = listed
    return cast(out, out.name(place), place.type, "int64")


def _known_place(known: Sequence[int], array: str, out: Emitter) -> str:
    """Counted from the back where it is negative."""
    (place,) = known
    if place >= 0:
        return filled(out, place, _PLACE)
    length = out.emit_new("lod_array_length", {"X": array}, "Out", _PLACE)
    return out.emit_new("scale", {"X": length}, "Out", _PLACE, {"scale": 1.0, "bias": float(place)})


RULES: Mapping[str, Conversion] = {
    "create_array": _create,
    "array_pop": _pop,
    "array_write_": _write,
    "array_read": rule("read_from_array", "X I"),
    "array_length": rule("lod_array_length"),
    "array_to_tensor": _to_tensor,
    "slice_array": _slice,
    "slice_array_dense": _element,
    "add_n_array": rule("sum"),
}
