"""Operators that 2.6 does not have, put together from those it has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import reduce

from compatload.faults.cl126_rounded_halves_pir import AWAY_FROM_ZERO
from compatload.faults.cl143_mended_in_3_1_pir import BEFORE_3_1
from compatload.operators.decimals import as_float32
from compatload.programs.pir_to_legacy.complex_numbers import PART
from compatload.programs.pir_to_legacy.constants import constant, single
from compatload.programs.pir_to_legacy.emitter import Emitter, ObstacleError
from compatload.programs.pir_to_legacy.graph import DataType, Operation, TensorType, Value
from compatload.programs.pir_to_legacy.rules import Conversion, meaningful, special
from compatload.programs.pir_to_legacy.steps import (
    binary,
    cast,
    convert,
    finish,
    given,
    only_first_result,
    shape_output,
    unary,
)

# Axes of a stack of matrices.
_STACK = 3


@special(operands=3)
def _masked_fill(operation: Operation, out: Emitter) -> None:
    """``where(mask, value, x)``, all of them in the shape of the result."""
    source, mask, value = (given(operation, index) for index in range(3))
    type_ = operation.results[0].type
    number = _held_in_float32(single(value), type_.dtype)
    like = filled = out.name(source)
    if source.type.dims != type_.dims:
        wider = (source, mask) if number is not None else (source, mask, value)
        like = _broadcast(out, wider, type_)
        filled = _expanded(out, filled, like, type_)
    if number is not None:
        filler = unary(out, "fill_any_like", like, type_, value=number)
    else:
        filler = _expanded(out, out.name(value), like, type_)
    flags = out.name(mask)
    if mask.type.dims != type_.dims:
        flags = _expanded(out, flags, like, replace(type_, dtype="bool"))
    finish(out, "where", {"Condition": flags, "X": filler, "Y": filled}, operation.results[0])


def _held_in_float32(number: float | None, dtype: str) -> float | None:
    """None for a number that ``fill_any_like`` would round: 2**30 + 1 among whole numbers."""
    exact = dtype == "float64" or "int" in dtype
    rounded = exact and number == number and number != as_float32(number or 0)
    return None if rounded else number


def _broadcast(out: Emitter, values: Sequence[Value], type_: TensorType) -> str:
    """Zeros in the shape that those values have together."""
    code = DataType(type_.dtype)
    zeros = [
        unary(out, "fill_any_like", out.name(one), replace(one.type, dtype=type_.dtype), dtype=code)
        for one in values
    ]
    return reduce(lambda one, other: binary(out, "elementwise_add", one, other, type_), zeros)


def _expanded(out: Emitter, name: str, like: str, type_: TensorType) -> str:
    attributes = {"target_shape": [*type_.dims]}
    return out.emit_new("expand_as_v2", {"X": name, "Y": like}, "Out", type_, attributes)


@special(
    "kernel_size strides paddings ceil_mode exclusive data_format pooling_type global_pooling "
    "adaptive padding_algorithm norm_type",
    operands=2,
)
def _lp_pool(operation: Operation, out: Emitter) -> None:
    """The root of a sum of powers: an average pool of powers, times the number averaged."""
    attributes = meaningful(operation)
    kernel = attributes.pop("kernel_size", None)
    if kernel is None and operation.operand(1) is not None:
        kernel = constant(given(operation, 1))
    norm = attributes.pop("norm_type", 0.0)
    padded = any(attributes.get("paddings", ())) or attributes.get("ceil_mode")
    if not isinstance(kernel, list) or attributes.get("adaptive") or padded or not norm:
        raise ObstacleError("this form of a power-average pool cannot be put together")
    source, result = given(operation, 0), operation.results[0]
    # Nothing but the tensor itself is averaged where the window is larger.
    first = 1 if attributes.get("data_format") == "NHWC" else 2
    sizes = source.type.dims[first : first + len(kernel)]
    kernel = [wide if size < 0 else min(wide, size) for wide, size in zip(kernel, sizes)]
    count = 1.0
    for size in kernel:
        count *= size
    powers = unary(out, "pow", out.name(source), source.type, factor=norm)
    attributes.update(ksize=kernel, pooling_type="avg", exclusive=True)
    averages = unary(out, "pool2d", powers, result.type, **attributes)
    sums = unary(out, "scale", averages, result.type, scale=count, bias=0.0)
    finish(out, "pow", {"X": sums}, result, factor=1.0 / norm)


@special("alpha beta", operands=3)
def _batched_addmm(operation: Operation, out: Emitter) -> None:
    """``beta * input + alpha * (x @ y)``."""
    source, result = given(operation, 0), operation.results[0]
    factors = {"X": out.operand(operation, 1), "Y": out.operand(operation, 2)}
    product = out.emit_new("matmul_v2", factors, "Out", result.type)
    beta, alpha = (operation.attributes.get(name, 1.0) for name in ("beta", "alpha"))
    first = unary(out, "scale", out.name(source), source.type, scale=beta, bias=0.0)
    second = unary(out, "scale", product, result.type, scale=alpha, bias=0.0)
    finish(out, "elementwise_add", {"X": first, "Y": second}, result, axis=-1)


@special(operands=2)
def _copy_sign(operation: Operation, out: Emitter) -> None:
    """The magnitude of x; negative where y or, for −0, its reciprocal is."""
    source, other = given(operation, 0), given(operation, 1)
    result = operation.results[0]
    if result.type.dtype == "bool":  # none is below 0
        finish(out, "assign", {"X": out.name(source)}, result)
        return
    wide = replace(other.type, dtype=result.type.dtype)
    sign = cast(out, out.name(other), other.type, wide.dtype)
    flags = replace(wide, dtype="bool")
    zeros = unary(out, "fill_any_like", sign, wide, value=0.0)
    negative = binary(out, "less_than", sign, zeros, flags)
    if "int" not in wide.dtype:
        reciprocal = unary(out, "reciprocal", sign, wide)
        below = {"X": negative, "Y": binary(out, "less_than", reciprocal, zeros, flags)}
        negative = out.emit_new("logical_or", below, "Out", flags)
    turns = cast(out, negative, flags, wide.dtype)
    factor = unary(out, "scale", turns, wide, scale=-2.0, bias=1.0)
    kind = replace(source.type, dtype=wide.dtype)
    size = unary(out, "abs", cast(out, out.name(source), source.type, wide.dtype), kind)
    finish(out, "elementwise_mul", {"X": size, "Y": factor}, result, axis=-1)


# Bits by which a number of 64 bits is moved at most at once, as a power of two that fits.
_MOVED_AT_ONCE = 62


def _moved(operation: Operation, out: Emitter, by: str) -> None:
    """``x`` by 2 ** y in 64 bits, in two steps: 2.6 moves no bits, and 2 ** 63 does not fit."""
    source, places = given(operation, 0), given(operation, 1)
    result = operation.results[0]
    arithmetic = operation.attributes.get("is_arithmetic", True) or by != "elementwise_floordiv"
    if not arithmetic and source.type.dtype != "uint8":
        raise ObstacleError("bits of signed integers that are moved as if they had no sign")
    counted = replace(places.type, dtype="int64")
    value = cast(out, out.name(source), source.type, "int64")
    count = cast(out, out.name(places), places.type, "int64")
    most = unary(out, "fill_any_like", count, counted, value=2.0 * _MOVED_AT_ONCE)
    none = unary(out, "fill_any_like", count, counted, value=0.0)
    # By a negative number of places is as by all of them.
    negative = binary(out, "less_than", count, none, replace(counted, dtype="bool"))
    chosen = {"Condition": negative, "X": most, "Y": count}
    count = binary(
        out, "elementwise_min", out.emit_new("where", chosen, "Out", counted), most, counted
    )
    two = unary(out, "fill_any_like", count, counted, value=2.0)
    first = binary(out, "elementwise_floordiv", count, two, counted)
    rest = binary(out, "elementwise_sub", count, first, counted)
    moved = replace(result.type, dtype="int64")
    for step in (first, rest):
        value = binary(out, by, value, binary(out, "elementwise_pow", two, step, counted), moved)
    convert(out, value, "int64", result.type.dtype, out.define(result, "moved")[0])


@special("is_arithmetic", operands=2)
def _left_shift(operation: Operation, out: Emitter) -> None:
    """What does not fit is lost, as in a multiplication of integers."""
    _moved(operation, out, "elementwise_mul")


@special("is_arithmetic", operands=2)
def _right_shift(operation: Operation, out: Emitter) -> None:
    _moved(operation, out, "elementwise_floordiv")


@special(operands=2)
def _truncated_division(operation: Operation, out: Emitter) -> None:
    """2.6's own division truncates integers."""
    inputs = {"X": out.operand(operation, 0), "Y": out.operand(operation, 1)}
    result = operation.results[0]
    if "int" in result.type.dtype:
        finish(out, "elementwise_div", inputs, result, axis=-1)
        return
    quotient = out.emit_new("elementwise_div", inputs, "Out", result.type, {"axis": -1})
    finish(out, "trunc", {"X": quotient}, result)


def _half_and_roundings(x: str, type_: TensorType, out: Emitter) -> tuple[str, str, str]:
    """Whether a number is a half, twice its rounded half (which is even), and 2.6's rounding."""
    rest = binary(out, "elementwise_sub", x, unary(out, "trunc", x, type_), type_)
    half = unary(out, "fill_any_like", rest, type_, value=0.5)
    flags = replace(type_, dtype="bool")
    is_half = binary(out, "equal", unary(out, "abs", rest, type_), half, flags)
    smaller = unary(out, "round", unary(out, "scale", x, type_, scale=0.5, bias=0.0), type_)
    even = unary(out, "scale", smaller, type_, scale=2.0, bias=0.0)
    return is_half, even, unary(out, "round", x, type_)


@special("decimals")
def _round(operation: Operation, out: Emitter) -> None:
    """2.6 rounds to whole numbers only: scaled up before, and down after. 3.3 leaves integers as
    they are, for any number of decimals."""
    source, result = given(operation, 0), operation.results[0]
    if "int" in source.type.dtype:
        finish(out, "assign", {"X": out.name(source)}, result)
        return
    type_, power = source.type, 10.0 ** operation.attributes.get("decimals", 0)
    if type_.dtype not in PART:
        finish(out, *_rounded(out.name(source), type_, power, out), result)
        return
    part = replace(type_, dtype=PART[type_.dtype])
    parts = (unary(out, name, out.name(source), part) for name in ("real", "imag"))
    whole = (out.emit_new(*_rounded(one, part, power, out), "Out", part) for one in parts)
    finish(out, "complex", dict(zip("XY", whole)), result)


def _rounded(x: str, type_: TensorType, power: float, out: Emitter) -> tuple[str, dict[str, str]]:
    """The last operator, and what it reads."""
    if power != 1.0:
        large = unary(out, "scale", x, type_, scale=power, bias=0.0)
        last, inputs = _rounded(large, type_, 1.0, out)
        whole = out.emit_new(last, inputs, "Out", type_)
        divisor = unary(out, "fill_any_like", whole, type_, value=power)
        return "elementwise_div", {"X": whole, "Y": divisor}
    if out.pir_version <= AWAY_FROM_ZERO:
        return "round", {"X": x}
    parts = _half_and_roundings(x, type_, out)
    return "where", dict(zip(("Condition", "X", "Y"), parts))


@special()
def _digamma(operation: Operation, out: Emitter) -> None:
    """Of zero it is NaN in 2.6 and 3.0, and endless since (CL143)."""
    source, result = given(operation, 0), operation.results[0]
    if out.pir_version <= BEFORE_3_1:
        finish(out, "digamma", {"X": out.name(source)}, result)
        return
    name, type_ = out.name(source), source.type
    nothing = unary(out, "fill_any_like", name, type_, value=0.0)
    zero = binary(out, "equal", name, nothing, replace(type_, dtype="bool"))
    turned = unary(out, "reciprocal", name, type_)
    endless = unary(out, "scale", turned, type_, scale=-1.0, bias=0.0)
    plain = unary(out, "digamma", name, type_)
    finish(out, "where", {"Condition": zero, "X": endless, "Y": plain}, result)


@special("reduction log_target", operands=2)
def _divergence(operation: Operation, out: Emitter) -> None:
    """exp(target) · (target − x), where the target is a logarithm."""
    source, target = given(operation, 0), given(operation, 1)
    result, type_ = operation.results[0], source.type
    reduction = operation.attributes.get("reduction", "mean")
    if not operation.attributes.get("log_target", False):
        inputs = {"X": out.name(source), "Target": out.name(target)}
        outputs = {"Loss": out.define(result, "kldiv_loss")}
        out.emit("kldiv_loss", inputs, outputs, {"reduction": reduction})
        return
    power = unary(out, "exp", out.name(target), type_)
    rest = binary(out, "elementwise_sub", out.name(target), out.name(source), type_)
    if reduction == "none":
        finish(out, "elementwise_mul", {"X": power, "Y": rest}, result, axis=-1)
        return
    each = binary(out, "elementwise_mul", power, rest, type_)
    if reduction == "batchmean" and len(type_.dims) > 1:
        told = {"dim": [*range(1, len(type_.dims))], "keep_dim": False, "reduce_all": False}
        each = unary(out, "reduce_sum", each, replace(type_, dims=type_.dims[:1]), **told)
    total = "reduce_sum" if reduction == "sum" else "reduce_mean"
    finish(out, total, {"X": each}, result, reduce_all=True, dim=[0], keep_dim=False)


@special("threshold value")
def _thresholded(operation: Operation, out: Emitter) -> None:
    """2.6 puts 0 below the threshold, and nothing else."""
    source, result = given(operation, 0), operation.results[0]
    threshold, value = (operation.attributes.get(name, 0.0) for name in ("threshold", "value"))
    if not value:
        finish(out, "thresholded_relu", {"X": out.name(source)}, result, threshold=threshold)
        return
    name, type_ = out.name(source), source.type
    limit = unary(out, "fill_any_like", name, type_, value=threshold)
    others = unary(out, "fill_any_like", name, type_, value=value)
    above = binary(out, "greater_than", name, limit, replace(type_, dtype="bool"))
    finish(out, "where", {"Condition": above, "X": name, "Y": others}, result)


@special()
def _sign_and_logarithm(operation: Operation, out: Emitter) -> None:
    """2.6 gives sign and logarithm of a determinant stacked in one tensor."""
    sign, logarithm = operation.results
    stacked = replace(sign.type, dims=(2, *sign.type.dims))
    both = out.emit_new("slogdeterminant", {"Input": out.operand(operation, 0)}, "Out", stacked)
    names = (*out.define(sign, "unbind"), *out.define(logarithm, "unbind"))
    out.emit("unbind", {"X": both}, {"Out": names}, {"axis": 0})


@special("dims")
def _view_shape(operation: Operation, out: Emitter) -> None:
    source, result = given(operation, 0), operation.results[0]
    outputs = {"Out": out.define(result, "reshape2"), **shape_output(out, source.type)}
    attributes = {"shape": operation.attributes.get("dims", [])}
    out.emit("reshape2", {"X": out.name(source)}, outputs, attributes)


@special("full_matrices")
def _singular_values(operation: Operation, out: Emitter) -> None:
    """Of stacks of stacks 3.x makes one stack, which its declaration does not say."""
    source, result = given(operation, 0), operation.results[0]
    inner, other = result.type, replace(source.type, dims=())
    stacks = len(source.type.dims) > _STACK
    values = out.temporary(inner, "svd") if stacks else out.define(result, "svd")
    outputs = {"U": out.temporary(other, "svd"), "S": values, "VH": out.temporary(other, "svd")}
    out.emit("svd", {"X": out.name(source)}, outputs, {"full_matrices": False})
    if stacks:
        results = {"Out": out.define(result, "svd"), **shape_output(out, inner)}
        out.emit("reshape2", {"X": values}, results, {"shape": [-1, inner.dims[-1]]})


@special("value shape dtype", operands=2)
def _overwrite(operation: Operation, out: Emitter) -> None:
    """``full_`` and ``fill_`` put one number everywhere into an existing tensor."""
    source, result = given(operation, 0), operation.results[0]
    value = operation.operand(1)
    number = operation.attributes.get("value") if value is None else single(value)
    if number is None:
        raise ObstacleError("a tensor is filled with a computed number")
    finish(out, "fill_any_like", {"X": out.name(source)}, result, value=number)


@special(operands=2)
def _reduce_as(operation: Operation, out: Emitter) -> None:
    """A sum over the axes along which the second tensor would be broadcast to the first."""
    source, like, result = given(operation, 0), given(operation, 1), operation.results[0]
    lead = len(source.type.dims) - len(like.type.dims)
    wide = source.type.dims[lead:]
    if lead < 0 or -1 in (*wide, *like.type.dims):
        raise ObstacleError("reduce_as with unknown sizes")
    inner = [lead + n for n, size in enumerate(like.type.dims) if size == 1 != wide[n]]
    axes = [*range(lead), *inner]
    if not axes:
        finish(out, "assign", {"X": out.name(source)}, result)
        return
    if not lead:
        finish(out, "reduce_sum", {"X": out.name(source)}, result, dim=axes, keep_dim=True)
        return
    if inner:
        raise ObstacleError("reduce_as over leading and inner axes")
    finish(out, "reduce_sum", {"X": out.name(source)}, result, dim=axes, keep_dim=False)


@special("summarize", operands=2)
def _asserted(operation: Operation, out: Emitter) -> None:
    """2.6 wants something to print where the condition does not hold: that itself, if need be."""
    condition = out.operand(operation, 0)
    inputs = {"Cond": condition, "Data": out.optional(operation, 1) or condition}
    out.emit("assert", inputs, {}, meaningful(operation))


def _passed_over(operation: Operation, out: Emitter) -> None:
    """Copies between devices: 2.6 makes those by itself."""
    only_first_result(operation, "that")
    finish(out, "assign", {"X": out.operand(operation, 0)}, operation.results[0])


RULES: Mapping[str, Conversion] = {
    "masked_fill": _masked_fill,
    "lp_pool2d": _lp_pool,
    "baddbmm": _batched_addmm,
    "copysign": _copy_sign,
    "bitwise_left_shift": _left_shift,
    "bitwise_right_shift": _right_shift,
    "trunc_divide": _truncated_division,
    "round": _round,
    "digamma": _digamma,
    "kldiv_loss": _divergence,
    "thresholded_relu": _thresholded,
    "slogdet_v2": _sign_and_logarithm,
    "view_shape": _view_shape,
    "svdvals": _singular_values,
    "full_": _overwrite,
    "fill": _overwrite,
    "reduce_as": _reduce_as,
    "assert": _asserted,
    "print": special(None)(_passed_over),
    "memcpy": special("dst_place_type")(_passed_over),
    "memcpy_d2h": special("dst_place_type")(_passed_over),
    "memcpy_h2d": special("dst_place_type")(_passed_over),
    "copy_to": special("blocking")(_passed_over),
}
