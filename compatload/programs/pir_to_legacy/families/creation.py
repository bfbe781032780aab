"""Constants, ranges and random numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from compatload.operators.decimals import as_float32
from compatload.programs.pir_to_legacy.constants import constant, parts, single
from compatload.programs.pir_to_legacy.emitter import Emitter, ObstacleError
from compatload.programs.pir_to_legacy.graph import DataType, Operation, Place, TensorType
from compatload.programs.pir_to_legacy.rules import (
    Conversion,
    Folded,
    Special,
    apply,
    rule,
    special,
)
from compatload.programs.pir_to_legacy.steps import cast, convert, number_attributes

_CPU = 1
_SHAPE = {"shape": Folded("shape", "ShapeTensor", "ShapeTensorList")}
# dtype → attribute of assign_value that holds the numbers.
_LITERALS = {
    "float32": "fp32_values",
    "float64": "fp64_values",
    "int32": "int32_values",
    "int64": "int64_values",
    "bool": "bool_values",
}


@special("shape value dtype", operands=0)
def _full(operation: Operation, out: Emitter) -> None:
    result = operation.results[0]
    place = operation.attributes.get("place")
    attributes = {
        "shape": operation.attributes.get("shape", []),
        "dtype": DataType(result.type.dtype),
        "force_cpu": isinstance(place, Place) and place.kind == _CPU,
        **number_attributes(operation.attributes.get("value"), result.type.dtype),
    }
    target = out.define(result, "fill_constant")
    out.emit("fill_constant", {}, {"Out": target}, attributes, disposable=True)


@special("shape dtype", operands=0)
def _zeros(operation: Operation, out: Emitter) -> None:
    result = operation.results[0]
    attributes = {
        "shape": operation.attributes.get("shape", []),
        "dtype": DataType(result.type.dtype),
        "value": 1.0 if operation.name == "pd_op.ones" else 0.0,
    }
    out.emit("fill_constant", {}, {"Out": out.define(result, "fill_constant")}, attributes)


@special("dtype", operands=2)
def _full_with_tensor(operation: Operation, out: Emitter) -> None:
    """Operands: the value, then the shape; either may be computed."""
    result = operation.results[0]
    dtype = result.type.dtype
    value, shape = operation.operand(0), operation.operand(1)
    if value is None or shape is None:
        raise ObstacleError("value or shape is missing")
    attributes: dict[str, Any] = {"dtype": DataType(dtype)}
    inputs: dict[str, tuple[str, ...]] = {}
    known = single(value)
    if known is None:
        inputs["ValueTensor"] = (cast(out, out.name(value), value.type, dtype),)
    else:
        attributes.update(number_attributes(known, dtype))
    sizes = constant(shape)
    if sizes is not None:
        attributes["shape"] = sizes
    elif (listed := parts(shape)) is not None:
        inputs["ShapeTensorList"] = tuple(out.name(part) for part in listed)
    else:
        inputs["ShapeTensorList" if shape.is_vector else "ShapeTensor"] = out.names(shape)
    out.emit("fill_constant", inputs, {"Out": out.define(result, "fill_constant")}, attributes)


def _literal(numbers: list[Any], shape: list[int], operation: Operation, out: Emitter) -> None:
    """``assign_value`` knows five data types; others are cast from float32."""
    result = operation.results[0]
    dtype = result.type.dtype
    stored = dtype if dtype in _LITERALS else ("int32" if "int" in dtype else "float32")
    # 3.x finds no float64 where 2.6 looks for them, and a predictor there may run what is written.
    if stored == "float64" and all(as_float32(one) == one for one in numbers):
        stored = "float32"
    attributes = {
        "shape": shape,
        "dtype": DataType(stored),
        _LITERALS[stored]: [int(n) if "fp" not in _LITERALS[stored] else n for n in numbers],
    }
    target = out.define(result, "assign_value")[0]
    if stored == dtype:
        out.emit("assign_value", {}, {"Out": target}, attributes, disposable=True)
        return
    name = out.temporary(TensorType(stored, result.type.dims), "assign_value")
    out.emit("assign_value", {}, {"Out": name}, attributes, disposable=True)
    convert(out, name, stored, dtype, target)


@special("value dtype", operands=0)
def _full_int_array(operation: Operation, out: Emitter) -> None:
    numbers = list(operation.attributes.get("value", ()))
    _literal(numbers, [len(numbers)], operation, out)


@special("shape dtype values")
def _assign_value(operation: Operation, out: Emitter) -> None:
    numbers = list(operation.attributes.get("values", ()))
    _literal(numbers, list(operation.attributes.get("shape", ())), operation, out)


@special("dtype", operands=3)
def _range(operation: Operation, out: Emitter) -> None:
    """2.6 takes the data type from the bounds, PIR names it."""
    result = operation.results[0]
    inputs = {}
    for index, slot in enumerate(("Start", "End", "Step")):
        value = operation.operand(index)
        if value is None:
            raise ObstacleError(f"operand {index} is missing")
        inputs[slot] = cast(out, out.name(value), value.type, result.type.dtype)
    out.emit("range", inputs, {"Out": out.define(result, "range")})


def _counted(name: str, slots: str) -> Special:
    """2.6 reads ``Num`` as an int32 alone; 3.x takes a size, an int64, as it comes."""
    counted = rule(name, slots)
    place = slots.split().index("Num")

    @special(None, operands=len(counted.inputs))
    def spaced(operation: Operation, out: Emitter) -> None:
        count = operation.operand(place)
        if count is None:
            raise ObstacleError(f"operand {place} is missing")
        whole = cast(out, out.name(count), count.type, "int32")
        apply(counted, operation, out, {place: (whole,)})

    return spaced


@special("value")
def _increment(operation: Operation, out: Emitter) -> None:
    """In place: everything that reads the old value afterwards reads the new one."""
    name = out.operand(operation, 0)
    out.bind(operation.results[0], (name,))
    step = operation.attributes.get("value", 1.0)
    out.emit("increment", {"X": name}, {"Out": name}, {"step": step})


@special(operands=2)
def _assign_out(operation: Operation, out: Emitter) -> None:
    """Copies its first operand into the variable of the second."""
    target = out.operand(operation, 1)
    out.bind(operation.results[0], (target,))
    out.emit("assign", {"X": out.operand(operation, 0)}, {"Out": target})


RULES: Mapping[str, Conversion] = {
    "full": _full,
    "full_int_array": _full_int_array,
    "full_with_tensor": _full_with_tensor,
    "full_like": rule("fill_any_like", "X value", folded={"value": Folded("value")}),
    "full_batch_size_like": rule("fill_constant_batch_size_like", "Input", ignored="place"),
    "zeros": _zeros,
    "ones": _zeros,
    "zeros_like": rule("fill_any_like", fixed={"value": 0.0}),
    "ones_like": rule("fill_any_like", fixed={"value": 1.0}),
    "assign_value": _assign_value,
    "assign_value_": _assign_value,
    "assign_out_": _assign_out,
    "increment_": _increment,
    "arange": _range,
    "range_v2": _range,
    "linspace": _counted("linspace", "Start Stop Num"),
    "logspace": _counted("logspace", "Start Stop Num Base"),
    "eye": rule(
        "eye",
        "rows columns",
        folded={"rows": Folded("num_rows"), "columns": Folded("num_columns")},
    ),
    "empty": rule("empty", "shape", folded=_SHAPE),
    "tril_indices": rule("tril_indices", "", "out"),
    "triu_indices": rule("triu_indices", "", "out", rename={"row": "row", "col": "col"}),
    "gaussian": rule("gaussian_random", "shape", folded=_SHAPE),
    "uniform": rule(
        "uniform_random",
        "shape min max",
        folded={**_SHAPE, "min": Folded("min"), "max": Folded("max")},
    ),
    "randint": rule("randint", "shape", folded=_SHAPE),
    "randperm": rule("randperm", ""),
    "bernoulli": rule("bernoulli"),
    "multinomial": rule("multinomial", "X count", folded={"count": Folded("num_samples")}),
    "poisson": rule("poisson"),
    "truncated_gaussian_random": rule("truncated_gaussian_random", "", ignored="a b"),
}
