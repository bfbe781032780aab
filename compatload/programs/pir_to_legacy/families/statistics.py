"""Medians, variances and sums that pass over NaN, put together from what 2.6 has."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from compatload.programs.pir_to_legacy.emitter import Emitter, ObstacleError
from compatload.programs.pir_to_legacy.graph import Operation, TensorType, Value
from compatload.programs.pir_to_legacy.rules import Conversion, special
from compatload.programs.pir_to_legacy.steps import (
    binary,
    computed_sizes,
    filled,
    finish,
    given,
    kept,
    only_first_result,
    shape_output,
    unary,
)


@special("axis keepdim mode")
def _median(operation: Operation, out: Emitter) -> None:
    """Sorted, the one or two in the middle averaged; a NaN anywhere is the result."""
    only_first_result(operation, "the position of a median")
    source, result = given(operation, 0), operation.results[0]
    if operation.attributes.get("mode", "avg") != "avg":
        raise ObstacleError("Paddle 2.6 knows no median that does not average")
    if source.type.dtype != result.type.dtype:
        raise ObstacleError(f"a median of {source.type.dtype} tensors")
    name, type_, axis = _sorted_axis(operation, source, out)
    ordered = out.temporary(type_, "argsort")
    positions = out.temporary(replace(type_, dtype="int64"), "argsort")
    out.emit("argsort", {"X": name}, {"Out": ordered, "Indices": positions}, {"axis": axis})
    single = kept(type_, [axis])
    middle = _middle(out, ordered, type_, axis)
    average = unary(out, "reduce_mean", middle, single, dim=[axis], keep_dim=True)
    nan_only = _only_nan(out, name, type_)
    broken = unary(out, "reduce_sum", nan_only, single, dim=[axis], keep_dim=True)
    if result.type.dims == single.dims:
        finish(out, "elementwise_add", {"X": average, "Y": broken}, result, axis=-1)
        return
    total = binary(out, "elementwise_add", average, broken, single)
    outputs = {"Out": out.define(result, "reshape"), **shape_output(out, single)}
    if len(result.type.dims) < len(single.dims):
        out.emit("squeeze2", {"X": total}, outputs, {"axes": [axis]})
    else:  # all axes were meant, and are to be kept
        out.emit("reshape2", {"X": total}, outputs, {"shape": [1] * len(result.type.dims)})


def _sorted_axis(operation: Operation, source: Value, out: Emitter) -> tuple[str, TensorType, int]:
    """The tensor and the axis to sort along; laid flat where all axes are meant."""
    axes, rank = operation.attributes.get("axis", []), len(source.type.dims)
    if len(axes) == 1 and rank:
        return out.name(source), source.type, axes[0] % rank
    if axes:
        raise ObstacleError("a median over several axes")
    count = 1
    for size in source.type.dims:
        count = -1 if -1 in (count, size) else count * size
    flat = replace(source.type, dims=(count,))
    name = out.temporary(flat, "reshape2")
    outputs = {"Out": name, **shape_output(out, source.type)}
    out.emit("reshape2", {"X": out.name(source)}, outputs, {"shape": [-1]})
    return name, flat, 0


def _middle(out: Emitter, ordered: str, type_: TensorType, axis: int) -> str:
    """Elements (n − 1) // 2 to n // 2, both included."""
    size = type_.dims[axis]
    dims = list(type_.dims)
    dims[axis] = -1 if size < 0 else 2 - size % 2
    kind = replace(type_, dims=tuple(dims))
    inputs, attributes = {"Input": ordered}, {"axes": [axis]}
    if size >= 0:
        attributes.update(starts=[(size - 1) // 2], ends=[size // 2 + 1], infer_flags=[1])
    else:
        here = range(axis, axis + 1)
        count, one = computed_sizes(out, ordered, len(type_.dims), here)
        halver = filled(out, 2, one)
        before = unary(out, "scale", count, one, scale=1.0, bias=-1.0)
        inputs["StartsTensor"] = binary(out, "elementwise_floordiv", before, halver, one)
        half = binary(out, "elementwise_floordiv", count, halver, one)
        inputs["EndsTensor"] = unary(out, "scale", half, one, scale=1.0, bias=1.0)
        attributes.update(starts=[-1], ends=[-1], infer_flags=[-1])
    return out.emit_new("slice", inputs, "Out", kind, attributes)


def _only_nan(out: Emitter, name: str, type_: TensorType) -> str:
    """The NaN of a tensor, and zeros everywhere else."""
    flags = unary(out, "isnan_v2", name, replace(type_, dtype="bool"))
    zeros = unary(out, "fill_any_like", name, type_, value=0.0)
    return out.emit_new("where", {"Condition": flags, "X": name, "Y": zeros}, "Out", type_)


@special("axis keepdim dtype")
def _nan_sum(operation: Operation, out: Emitter) -> None:
    """The sum with every NaN counted as zero."""
    source, result = given(operation, 0), operation.results[0]
    if source.type.dtype != result.type.dtype:
        raise ObstacleError("a sum in another data type that passes over NaN")
    name = out.name(source)
    flags = unary(out, "isnan_v2", name, replace(source.type, dtype="bool"))
    zeros = unary(out, "fill_any_like", name, source.type, value=0.0)
    inputs = {"Condition": flags, "X": zeros, "Y": name}
    clean = out.emit_new("where", inputs, "Out", source.type)
    axes = operation.attributes.get("axis", [])
    finish(
        out,
        "reduce_sum",
        {"X": clean},
        result,
        dim=axes or [0],
        reduce_all=not axes,
        keep_dim=operation.attributes.get("keepdim", False),
    )


@special("axis keepdim unbiased correction")
def _variance(operation: Operation, out: Emitter) -> None:
    """The mean square distance from the mean, over n − correction elements."""
    source, result = given(operation, 0), operation.results[0]
    attributes = operation.attributes
    rank = len(source.type.dims)
    axes = [axis % rank for axis in attributes.get("axis", [])] or list(range(rank))
    count = 1
    for axis in axes:
        count = -1 if -1 in (count, source.type.dims[axis]) else count * source.type.dims[axis]
    # pd_op.variance knows neither attribute and divides by n.
    unbiased = attributes.get("unbiased", "unbiased" in attributes)
    correction = attributes.get("correction", 1.0) if unbiased else 0.0
    if correction and count <= correction:
        raise ObstacleError("a variance over an unknown number of elements")
    name = out.name(source)
    single = kept(source.type, axes)
    mean = unary(out, "reduce_mean", name, single, dim=axes, keep_dim=True)
    distance = binary(out, "elementwise_sub", name, mean, source.type)
    squares = unary(out, "square", distance, source.type)
    keep = bool(attributes.get("keepdim", False))
    average = unary(out, "reduce_mean", squares, result.type, dim=axes, keep_dim=keep)
    factor = count / (count - correction) if correction else 1.0
    if operation.name == "pd_op.std":
        scaled = unary(out, "scale", average, result.type, scale=factor, bias=0.0)
        finish(out, "sqrt", {"X": scaled}, result)
    else:
        finish(out, "scale", {"X": average}, result, scale=factor, bias=0.0)


RULES: Mapping[str, Conversion] = {
    "median": _median,
    "nansum": _nan_sum,
    "var": _variance,
    "std": _variance,
    "variance": _variance,
}
