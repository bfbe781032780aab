"""Operators that 2.6 does not have, put together from those it has."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from compatload.conversion.pir_to_legacy.constants import constant
from compatload.conversion.pir_to_legacy.emitter import Emitter, ObstacleError
from compatload.conversion.pir_to_legacy.graph import Operation, TensorType, Value
from compatload.conversion.pir_to_legacy.rules import Conversion

_ALIGN_LAST = {"axis": -1}


def _given(operation: Operation, index: int) -> Value:
    value = operation.operand(index)
    if value is None:
        raise ObstacleError(f"operand {index} is missing")
    return value


def _only_first_result(operation: Operation, what: str) -> None:
    if any(value.uses for value in operation.results[1:]):
        raise ObstacleError(f"{what} is unknown to Paddle 2.6")


def _binary(out: Emitter, type_: str, x: str, y: str, result: TensorType) -> str:
    return out.emit_new(type_, {"X": x, "Y": y}, "Out", result, _ALIGN_LAST)


def _along(type_: TensorType, axis: int, size: int) -> TensorType:
    dims = list(type_.dims)
    dims[axis] = size
    return replace(type_, dims=tuple(dims))


def _masked_fill(operation: Operation, out: Emitter) -> None:
    """``where(mask, value, x)``, all of them in the shape of x."""
    source = _given(operation, 0)
    if len(source.type.dims) != len(operation.results[0].type.dims):
        raise ObstacleError("the mask has more axes than the tensor it fills")
    like = out.name(source)
    spread = []
    for index, dtype in ((1, "bool"), (2, source.type.dtype)):
        inputs = {"X": out.operand(operation, index), "Y": like}
        attributes = {"target_shape": list(source.type.dims)}
        kind = TensorType(dtype, source.type.dims)
        spread.append(out.emit_new("expand_as_v2", inputs, "Out", kind, attributes))
    inputs = {"Condition": spread[0], "X": spread[1], "Y": like}
    out.emit("where", inputs, {"Out": out.define(operation.results[0], "where")})


def _median(operation: Operation, out: Emitter) -> None:
    """The smaller half sorted, its last one or two averaged; a NaN anywhere is the result."""
    _only_first_result(operation, "the position of a median")
    source = _given(operation, 0)
    axes = operation.attributes.get("axis", [])
    rank = len(source.type.dims)
    axis = axes[0] % rank if len(axes) == 1 and rank else -1
    if operation.attributes.get("mode", "avg") != "avg":
        raise ObstacleError("Paddle 2.6 knows no median that does not average")
    if axis < 0 or source.type.dims[axis] < 1:
        raise ObstacleError("a median over several axes, or over one of unknown size")
    if source.type.dtype != operation.results[0].type.dtype:
        raise ObstacleError(f"a median of {source.type.dtype} tensors")
    size = source.type.dims[axis]
    half = size // 2 + 1
    lower = out.temporary(_along(source.type, axis, half), "top_k_v2")
    positions = out.temporary(_along(replace(source.type, dtype="int64"), axis, half), "top_k_v2")
    out.emit(
        "top_k_v2",
        {"X": out.name(source)},
        {"Out": lower, "Indices": positions},
        {"k": half, "axis": axis, "largest": False, "sorted": True},
    )
    first = half - 1 if size % 2 else half - 2
    bounds = {"axes": [axis], "starts": [first], "ends": [half], "infer_flags": [1]}
    kind = _along(source.type, axis, half - first)
    middle = out.emit_new("slice", {"Input": lower}, "Out", kind, bounds)
    over = {"dim": [axis], "keep_dim": True}
    kept = _along(source.type, axis, 1)
    average = out.emit_new("reduce_mean", {"X": middle}, "Out", kept, over)
    broken = out.emit_new("reduce_sum", {"X": _only_nan(source, out)}, "Out", kept, over)
    if operation.attributes.get("keepdim"):
        target = out.define(operation.results[0], "elementwise_add")
        out.emit("elementwise_add", {"X": average, "Y": broken}, {"Out": target}, _ALIGN_LAST)
        return
    total = _binary(out, "elementwise_add", average, broken, kept)
    outputs = {
        "Out": out.define(operation.results[0], "squeeze2"),
        "XShape": out.temporary(replace(kept, dims=(0, *kept.dims)), "squeeze2"),
    }
    out.emit("squeeze2", {"X": total}, outputs, {"axes": [axis]})


def _only_nan(source: Value, out: Emitter) -> str:
    """The NaN of a tensor, and zeros everywhere else."""
    name = out.name(source)
    flags = replace(source.type, dtype="bool")
    is_nan = out.emit_new("isnan_v2", {"X": name}, "Out", flags)
    zeros = out.emit_new("fill_any_like", {"X": name}, "Out", source.type, {"value": 0.0})
    inputs = {"Condition": is_nan, "X": name, "Y": zeros}
    return out.emit_new("where", inputs, "Out", source.type)


def _lp_pool(operation: Operation, out: Emitter) -> None:
    """The root of a sum of powers: an average pool of powers, times the number averaged."""
    attributes = dict(operation.attributes)
    kernel = attributes.pop("kernel_size", None)
    if kernel is None and operation.operand(1) is not None:
        kernel = constant(_given(operation, 1))
    norm = attributes.pop("norm_type", 0.0)
    padded = any(attributes.get("paddings", ())) or attributes.get("ceil_mode")
    if not isinstance(kernel, list) or attributes.get("adaptive") or padded or not norm:
        raise ObstacleError("this form of a power-average pool cannot be put together")
    count = 1
    for size in kernel:
        count *= size
    source, result = _given(operation, 0), operation.results[0]
    powers = out.emit_new("pow", {"X": out.name(source)}, "Out", source.type, {"factor": norm})
    attributes = {name: value for name, value in attributes.items() if name != "struct_name"}
    attributes.update(ksize=kernel, pooling_type="avg", exclusive=True)
    averages = out.emit_new("pool2d", {"X": powers}, "Out", result.type, attributes)
    scale = {"scale": float(count), "bias": 0.0}
    sums = out.emit_new("scale", {"X": averages}, "Out", result.type, scale)
    target = out.define(result, "pow")
    out.emit("pow", {"X": sums}, {"Out": target}, {"factor": 1.0 / norm})


def _batched_addmm(operation: Operation, out: Emitter) -> None:
    """``beta * input + alpha * (x @ y)``."""
    result = operation.results[0]
    product = out.emit_new(
        "matmul_v2",
        {"X": out.operand(operation, 1), "Y": out.operand(operation, 2)},
        "Out",
        result.type,
    )
    terms = []
    for name, key, kind in (
        (out.operand(operation, 0), "beta", _given(operation, 0).type),
        (product, "alpha", result.type),
    ):
        attributes = {"scale": operation.attributes.get(key, 1.0), "bias": 0.0}
        terms.append(out.emit_new("scale", {"X": name}, "Out", kind, attributes))
    target = out.define(result, "elementwise_add")
    inputs = {"X": terms[0], "Y": terms[1]}
    out.emit("elementwise_add", inputs, {"Out": target}, _ALIGN_LAST)


def _rms_norm(operation: Operation, out: Emitter) -> None:
    """``x / sqrt(mean(x²) + epsilon) * scale`` over the last axes."""
    _only_first_result(operation, "the inverse deviation of rms_norm")
    source, result = _given(operation, 0), operation.results[0]
    shape = operation.attributes.get("normalized_shape", [])
    axes = list(range(-len(shape), 0)) if shape else [-1]
    kept = list(source.type.dims)
    for axis in axes:
        kept[axis] = 1
    reduced = replace(source.type, dims=tuple(kept))
    name = out.name(source)
    squares = out.emit_new("square", {"X": name}, "Out", source.type)
    over: dict[str, Any] = {"dim": axes, "keep_dim": True}
    mean = out.emit_new("reduce_mean", {"X": squares}, "Out", reduced, over)
    shift = {"scale": 1.0, "bias": operation.attributes.get("epsilon", 1e-5)}
    shifted = out.emit_new("scale", {"X": mean}, "Out", reduced, shift)
    inverse = out.emit_new("rsqrt", {"X": shifted}, "Out", reduced)
    weight = out.optional(operation, 1)
    if weight:
        normal = _binary(out, "elementwise_mul", name, inverse, source.type)
        inputs = {"X": normal, "Y": weight[0]}
    else:
        inputs = {"X": name, "Y": inverse}
    target = out.define(result, "elementwise_mul")
    out.emit("elementwise_mul", inputs, {"Out": target}, _ALIGN_LAST)


RULES: Mapping[str, Conversion] = {
    "masked_fill": _masked_fill,
    "median": _median,
    "lp_pool2d": _lp_pool,
    "baddbmm": _batched_addmm,
    "rms_norm": _rms_norm,
}
