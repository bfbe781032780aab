"""Reading and writing parts of tensors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from compatload.programs.legacy_repairs.reversed_slices import (
    end_of_2_6,
    is_counted_from_the_back,
)
from compatload.programs.pir_to_legacy.constants import constant, parts, single
from compatload.programs.pir_to_legacy.emitter import Emitter, ObstacleError
from compatload.programs.pir_to_legacy.graph import DataType, Operation, Value
from compatload.programs.pir_to_legacy.rules import (
    Conversion,
    Folded,
    apply,
    results,
    rule,
    special,
)
from compatload.programs.pir_to_legacy.steps import cast, given, unary

# The attribute of set_value, which its kernels do not read, knows nothing of these.
_SHORT = frozenset({"int8", "uint8", "int16", "bfloat16"})
_INT32_MIN, _INT32_MAX = -(2**31), 2**31 - 1

SLICE = rule(
    "slice",
    "Input starts ends",
    folded={
        "starts": Folded("starts", "StartsTensor", "StartsTensorList"),
        "ends": Folded("ends", "EndsTensor", "EndsTensorList"),
    },
)
STRIDED_SLICE = rule(
    "strided_slice",
    "Input starts ends strides",
    folded={
        "starts": Folded("starts", "StartsTensor", "StartsTensorList"),
        "ends": Folded("ends", "EndsTensor", "EndsTensorList"),
        "strides": Folded("strides", "StridesTensor", "StridesTensorList"),
    },
)


def bounds(operation: Operation, names: tuple[str, ...]) -> dict[str, list[int]]:
    """Constant bounds, brought into the 32 bits that 2.6 keeps them in: no axis is longer."""
    found = {}
    for index, name in enumerate(names, 1):
        value = operation.operand(index)
        known = None if value is None else constant(value)
        if known is not None:
            numbers = known if isinstance(known, list) else [known]
            found[name] = [min(max(int(item), _INT32_MIN), _INT32_MAX) for item in numbers]
    return found


@special(None, operands=3)
def _slice(operation: Operation, out: Emitter) -> None:
    apply(SLICE, operation, out, **cut(operation))


def cut(operation: Operation) -> dict[str, Any]:
    """The bounds of a slice; one that the program computes must be marked with an infer flag of
    −1."""
    known = bounds(operation, ("starts", "ends"))
    if len(known) == 2:
        return dict(known)
    return {**known, "infer_flags": [-1] * len(operation.attributes.get("axes", ()))}


@special(None, operands=4)
def _strided_slice(operation: Operation, out: Emitter) -> None:
    known = bounds(operation, ("starts", "ends", "strides"))
    axes = operation.attributes.get("axes", ())
    source = operation.operand(0)
    operands = {}
    if "strides" in known and "ends" in known and source is not None:
        if "starts" in known:
            operands[0] = (_with_front(out, source, axes, known),)
        sizes = [source.type.dims[axis] for axis in axes]
        triples = zip(known["ends"], known["strides"], sizes)
        ends = [end_of_2_6(*triple) for triple in triples]
        if None in ends:
            raise ObstacleError("a slice goes backwards to the last element of an unknown number")
        known["ends"] = [end for end in ends if end is not None]
    overrides: dict[str, Any] = {"infer_flags": [1 if len(known) == 3 else -1] * len(axes)}
    apply(STRIDED_SLICE, operation, out, operands, **{**overrides, **known})


def _with_front(
    out: Emitter, source: Value, axes: Sequence[int], known: Mapping[str, list[int]]
) -> str:
    """The sliced value, with element 0 twice along axes where 2.6 would not reach it."""
    name, starts = out.name(source), known["starts"]
    dims = source.type.dims
    for n, (axis, stride, end) in enumerate(zip(axes, known["strides"], known["ends"])):
        if not is_counted_from_the_back(end, stride, dims[axis]):
            continue
        cut = {"axes": [axis], "starts": [0], "ends": [1], "infer_flags": [1]}
        front = out.emit_new("slice", {"Input": name}, "Out", source.type, cut)
        both = {"X": (front, name)}
        name = out.emit_new("concat", both, "Out", source.type, {"axis": axis})
        if starts[n] >= 0:
            starts[n] = min(starts[n] + 1, _INT32_MAX)
    return name


@special("axes decrease_axes none_axes shape values", operands=5)
def _set_value(operation: Operation, out: Emitter) -> None:
    """``x[…] = value``: bounds are attributes, or lists of one-element tensors."""
    with_tensor = operation.name.rstrip("_").endswith("_with_tensor")
    first_bound = 2 if with_tensor else 1
    result = operation.results[0]
    inputs: dict[str, tuple[str, ...]] = {"Input": (out.operand(operation, 0),)}
    if with_tensor:
        inputs["ValueTensor"] = (out.operand(operation, 1),)
    attributes: dict[str, Any] = {
        name: operation.attributes[name]
        for name in ("axes", "decrease_axes", "none_axes", "shape", "values")
        if name in operation.attributes
    }
    if result.type.dtype not in _SHORT:
        attributes["dtype"] = DataType(result.type.dtype)
    for index, name in enumerate(("starts", "ends", "steps"), first_bound):
        value = operation.operand(index)
        known = None if value is None else constant(value)
        if known is not None:
            attributes[name] = known
        elif value is not None:
            inputs[f"{name.capitalize()}TensorList"] = _single_elements(operation, index, out)
    out.emit("set_value", inputs, results("set_value", ("Out",), operation, out), attributes)


def _single_elements(operation: Operation, index: int, out: Emitter) -> tuple[str, ...]:
    """A computed bound as a list of one-element tensors, one for each axis."""
    value = operation.operand(index)
    if value is None:
        return ()
    if value.is_vector or value.type.dims in ((), (1,)):
        return out.names(value)
    listed = parts(value)
    if listed is not None:
        return tuple(out.name(part) for part in listed)
    raise ObstacleError("the bounds of an assignment come as one computed tensor")


_SEQUENCE_MASK = rule(
    "sequence_mask", "X length", "Y", folded={"length": Folded("maxlen", "MaxLenTensor")}
)


@special(None, operands=2)
def _sequence_mask(operation: Operation, out: Emitter) -> None:
    """A computed length must be int32 for 2.6."""
    length = operation.operand(1)
    narrow = {}
    if length is not None and constant(length) is None:
        narrow[1] = (cast(out, out.name(length), length.type, "int32"),)
    apply(_SEQUENCE_MASK, operation, out, operands=narrow)


GATHER = rule("gather", "X Index axis", folded={"axis": Folded("axis", "Axis")})


@special(None, operands=3)
def _gather(operation: Operation, out: Emitter) -> None:
    """2.6 wants the axis counted from the start."""
    source, axis = operation.operand(0), operation.operand(2)
    known = None if axis is None else single(axis)
    overrides = {}
    if known is not None and known < 0 and source is not None:
        overrides["axis"] = known + len(source.type.dims)
    apply(GATHER, operation, out, **overrides)


@special("accumulate", operands=3)
def _index_put(operation: Operation, out: Emitter) -> None:
    """In a copy: CL120 tells why."""
    indices = operation.operand(1)
    if indices is None:
        raise ObstacleError("the indices are missing")
    result = out.define(operation.results[0], "index_put")
    out.emit("assign", {"X": out.operand(operation, 0)}, {"Out": result})
    inputs = {"x": result, "indices": out.names(indices), "value": out.operand(operation, 2)}
    attributes = {"accumulate": operation.attributes.get("accumulate", False)}
    out.emit("index_put", inputs, {"out": result}, attributes)


_SCATTER = rule("scatter", "X Ids Updates")


@special(None, operands=3)
def _scatter(operation: Operation, out: Emitter) -> None:
    """3.x reads as many rows as there are places, 2.6 wants no others."""
    places, rows = given(operation, 1), given(operation, 2)
    wanted, told = places.type.dims[:1], rows.type.dims[:1]
    known = {}
    if wanted and told and wanted[0] >= 0 and told[0] > wanted[0]:
        type_ = replace(rows.type, dims=(*wanted, *rows.type.dims[1:]))
        cut = {"axes": [0], "starts": [0], "ends": [*wanted]}
        known[2] = (out.emit_new("slice", {"Input": out.name(rows)}, "Out", type_, cut),)
    apply(_SCATTER, operation, out, known)


_NONZERO = rule("where_index", "Condition")


@special(operands=1)
def _nonzero(operation: Operation, out: Emitter) -> None:
    """2.6 finds no complex numbers; none but zero is of size zero."""
    source = given(operation, 0)
    name = out.name(source)
    if source.type.dtype.startswith("complex"):
        real = "float32" if source.type.dtype == "complex64" else "float64"
        name = unary(out, "abs", name, replace(source.type, dtype=real))
    apply(_NONZERO, operation, out, {0: (name,)})


RULES: Mapping[str, Conversion] = {
    "slice": _slice,
    "strided_slice": _strided_slice,
    "set_value": _set_value,
    "set_value_with_tensor": _set_value,
    "gather": _gather,
    "gather_nd": rule("gather_nd", "X Index"),
    "gather_tree": rule("gather_tree", "Ids Parents"),
    "index_select": rule("index_select", "X Index", rename={"axis": "dim"}),
    "index_sample": rule("index_sample", "X Index"),
    "index_add": rule("index_add", "X Index AddValue"),
    "index_put": _index_put,
    "take_along_axis": rule("take_along_axis", "Input Index", "Result", rename={"axis": "Axis"}),
    "put_along_axis": rule(
        "put_along_axis",
        "Input Index Value",
        "Result",
        rename={"axis": "Axis", "reduce": "Reduce", "include_self": "Include_self"},
    ),
    "scatter": _scatter,
    "scatter_nd_add": rule("scatter_nd_add", "X Index Updates"),
    "where": rule("where", "Condition X Y"),
    "nonzero": _nonzero,
    "masked_select": rule("masked_select", "X Mask", "Y"),
    "multiplex": rule("multiplex", "X Ids"),
    "shard_index": rule("shard_index"),
    "embedding": rule("lookup_table_v2", "Ids W", ignored="sparse"),
    "one_hot": rule(
        "one_hot_v2",
        "X depth",
        folded={"depth": Folded("depth", "depth_tensor")},
        fixed={"dtype": DataType("float32"), "allow_out_of_range": False},
    ),
    "sequence_mask": _sequence_mask,
    "viterbi_decode": rule("viterbi_decode", "Input Transition Length", "Scores Path"),
}
