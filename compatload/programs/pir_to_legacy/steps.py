"""Short forms for conversions that put an operator together from several others."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from compatload.programs.pir_to_legacy.constants import single
from compatload.programs.pir_to_legacy.emitter import Emitter, Names, ObstacleError
from compatload.programs.pir_to_legacy.graph import DataType, Operation, TensorType, Value


def given(operation: Operation, index: int) -> Value:
    """An operand that must be there."""
    value = operation.operand(index)
    if value is None:
        raise ObstacleError(f"operand {index} is missing")
    return value


def only_first_result(operation: Operation, what: str) -> None:
    """Raises `ObstacleError` if anything reads a result that is not the first."""
    if any(value.uses for value in operation.results[1:]):
        raise ObstacleError(f"Paddle 2.6 does not compute {what}")


def kept(type_: TensorType, axes: Sequence[int]) -> TensorType:
    """The type of a reduction over ``axes`` that keeps them, of size one."""
    dims = list(type_.dims)
    for axis in axes:
        dims[axis] = 1
    return replace(type_, dims=tuple(dims))


def unary(out: Emitter, type_: str, x: str, result: TensorType, **attributes: Any) -> str:
    return out.emit_new(type_, {"X": x}, "Out", result, attributes)


def binary(out: Emitter, type_: str, x: str, y: str, result: TensorType) -> str:
    return out.emit_new(type_, {"X": x, "Y": y}, "Out", result, {"axis": -1})


def convert(out: Emitter, source: str, old: str, new: str, target: str) -> None:
    """Emits a cast between two data types, into the variable ``target``."""
    attributes = {"in_dtype": DataType(old), "out_dtype": DataType(new)}
    out.emit("cast", {"X": source}, {"Out": target}, attributes)


def cast(out: Emitter, source: str, type_: TensorType, dtype: str) -> str:
    """The variable that holds ``source`` in another data type; itself where it has that one."""
    if type_.dtype == dtype:
        return source
    target = out.temporary(replace(type_, dtype=dtype), "cast")
    convert(out, source, type_.dtype, dtype, target)
    return target


def number_attributes(value: Any, dtype: str) -> dict[str, Any]:
    """``fill_constant`` keeps a number as float32, and as text where that loses digits."""
    if not isinstance(value, (bool, int, float)):
        raise ObstacleError(f"a tensor is filled with {value!r}")
    if not math.isfinite(value):  # Paddle reads the text, engines the number
        return {"value": value, "str_value": repr(float(value))}
    if dtype == "bool":
        return {"value": float(bool(value))}
    if "int" in dtype:
        return {"value": float(value), "str_value": str(int(value))}
    return {"value": value, "str_value": repr(float(value)) if dtype == "float64" else ""}


def filled(out: Emitter, number: float, type_: TensorType) -> str:
    """A tensor of a known shape that holds one number everywhere."""
    told = {"shape": [*type_.dims], "dtype": DataType(type_.dtype)}
    told.update(number_attributes(number, type_.dtype))
    return out.emit_new("fill_constant", {}, "Out", type_, told)


def computed_sizes(
    out: Emitter, x: str, rank: int, axes: range, *, alone: bool = False
) -> tuple[str, TensorType]:
    """The sizes of neighbouring axes as a run finds them, in int32, and their type; ``alone``: as a
    number without dimensions."""
    every = out.emit_new("shape", {"Input": x}, "Out", TensorType("int32", (rank,)))
    type_ = TensorType("int32", () if alone else (len(axes),))
    cut = {"axes": [0], "starts": [axes.start], "ends": [axes.stop], "infer_flags": [1]}
    if alone:
        cut["decrease_axis"] = [0]
    return out.emit_new("slice", {"Input": every}, "Out", type_, cut), type_


def listed_sizes(out: Emitter, parts: Sequence[Value]) -> Names:
    """The variables of the parts of a shape, known ones with a dimension as 2.6 writes them.

    Paddle takes either; OpenVINO joins the parts, and not without the same rank.
    """
    return tuple(_with_dimension(out, part) for part in parts)


def _with_dimension(out: Emitter, part: Value) -> str:
    number = single(part)
    if part.type.dims or not isinstance(number, int):
        return out.name(part)
    return filled(out, number, TensorType(part.type.dtype, (1,)))


def transpose(out: Emitter, x: str, type_: TensorType, axes: Sequence[int]) -> str:
    result = replace(type_, dims=tuple(type_.dims[axis] for axis in axes))
    name = out.temporary(result, "transpose2")
    outputs = {"Out": name, **shape_output(out, type_)}
    out.emit("transpose2", {"X": x}, outputs, {"axis": list(axes)})
    return name


def with_axes_before(out: Emitter, value: Value, count: int) -> str:
    """The value with so many axes of size 1 before its own."""
    wide = replace(value.type, dims=((1,) * count + value.type.dims))
    name = out.temporary(wide, "unsqueeze2")
    outputs = {"Out": name, **shape_output(out, value.type)}
    out.emit("unsqueeze2", {"X": out.name(value)}, outputs, {"axes": list(range(count))})
    return name


def shape_output(out: Emitter, source: TensorType) -> dict[str, str]:
    """The output in which 2.6 keeps the old shape, behind a zero, for the gradient."""
    return {"XShape": out.temporary(replace(source, dims=(0, *source.dims)), "xshape")}


def finish(out: Emitter, type_: str, inputs: dict[str, str], result: Value, **more: Any) -> None:
    """Emits the last operator, whose output is the PIR result itself."""
    out.emit(type_, inputs, {"Out": out.define(result, type_)}, more)
