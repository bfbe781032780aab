"""Operators that do several steps at once, taken apart again: exports on a GPU hold some."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

from compatload.programs.pir_to_legacy.constants import single
from compatload.programs.pir_to_legacy.emitter import Emitter, ObstacleError
from compatload.programs.pir_to_legacy.graph import Operation, TensorType, Value
from compatload.programs.pir_to_legacy.rules import Conversion, special
from compatload.programs.pir_to_legacy.steps import (
    binary,
    cast,
    finish,
    given,
    kept,
    only_first_result,
    transpose,
    unary,
)


@special("normalized_shape epsilon", operands=2)
def _rms_norm(operation: Operation, out: Emitter) -> None:
    only_first_result(operation, "the inverse deviation of rms_norm")
    source, result = given(operation, 0), operation.results[0]
    axes = list(range(-len(operation.attributes.get("normalized_shape", [])), 0)) or [-1]
    epsilon = operation.attributes.get("epsilon", 1e-5)
    weight = out.optional(operation, 1)
    _emit_rms_norm(out, out.name(source), source.type, axes, epsilon, weight, (), result)


@special(
    "epsilon begin_norm_axis quant_scale quant_round_type quant_max_bound quant_min_bound",
    operands=5,
)
def _rms_norm_of_sum(operation: Operation, out: Emitter) -> None:
    """The form up to 3.2: input, bias and residual are added first; the sum is a result too."""
    if any(value.uses for value in operation.results[2:]):
        raise ObstacleError("Paddle 2.6 does not compute the inverse deviation of rms_norm")
    if operation.attributes.get("quant_scale", -1.0) > 0:
        raise ObstacleError("rms_norm quantises its result")
    source, result = given(operation, 0), operation.results[0]
    total = out.name(source)
    added = False
    for index in (1, 2):
        for name in out.optional(operation, index):
            total = binary(out, "elementwise_add", total, name, source.type)
            added = True
    if operation.results[1].uses:
        if not added:
            raise ObstacleError("a sum of nothing is read")
        out.bind(operation.results[1], (total,))
    rank = len(source.type.dims)
    axes = list(range(operation.attributes.get("begin_norm_axis", rank - 1), rank))
    epsilon = operation.attributes.get("epsilon", 1e-5)
    weight, bias = out.optional(operation, 3), out.optional(operation, 4)
    _emit_rms_norm(out, total, source.type, axes, epsilon, weight, bias, result)


def _emit_rms_norm(
    out: Emitter,
    name: str,
    type_: TensorType,
    axes: list[int],
    epsilon: float,
    weight: tuple[str, ...],
    bias: tuple[str, ...],
    result: Value,
) -> None:
    """``x / sqrt(mean(x²) + epsilon) * weight + bias``."""
    reduced = kept(type_, axes)
    squares = unary(out, "square", name, type_)
    mean = unary(out, "reduce_mean", squares, reduced, dim=axes, keep_dim=True)
    shifted = unary(out, "scale", mean, reduced, scale=1.0, bias=epsilon)
    factors = [unary(out, "rsqrt", shifted, reduced), *weight]
    current = name
    for factor in factors[:-1] if not bias else factors:
        current = binary(out, "elementwise_mul", current, factor, type_)
    if bias:
        finish(out, "elementwise_add", {"X": current, "Y": bias[0]}, result, axis=-1)
    else:
        finish(out, "elementwise_mul", {"X": current, "Y": factors[-1]}, result, axis=-1)


@special(operands=2)
def _masked_softmax(operation: Operation, out: Emitter) -> None:
    result = operation.results[0]
    x, mask = out.operand(operation, 0), out.operand(operation, 1)
    total = binary(out, "elementwise_add", x, mask, result.type)
    finish(out, "softmax", {"X": total}, result, axis=-1)


@special(operands=2)
def _swiglu(operation: Operation, out: Emitter) -> None:
    """``silu(x) * y``; without y, the halves of x along its last axis."""
    source, result = given(operation, 0), operation.results[0]
    names = [out.name(source), *out.optional(operation, 1)]
    if len(names) == 1:
        names = [out.temporary(result.type, "split") for _ in range(2)]
        out.emit(
            "split",
            {"X": out.name(source)},
            {"Out": names},
            {"num": 2, "axis": len(source.type.dims) - 1},
        )
    gate = unary(out, "silu", names[0], result.type)
    finish(out, "elementwise_mul", {"X": gate, "Y": names[1]}, result, axis=-1)


@special("transpose_weight", operands=3)
def _linear(operation: Operation, out: Emitter) -> None:
    result = operation.results[0]
    inputs = {"X": out.operand(operation, 0), "Y": out.operand(operation, 1)}
    turned = {"trans_y": operation.attributes.get("transpose_weight", False)}
    bias = out.optional(operation, 2)
    if not bias:
        finish(out, "matmul_v2", inputs, result, **turned)
        return
    product = out.emit_new("matmul_v2", inputs, "Out", result.type, turned)
    finish(out, "elementwise_add", {"X": product, "Y": bias[0]}, result, axis=-1)


@special("dropout causal return_softmax is_test rng_name", operands=5)
def _flash_attention(operation: Operation, out: Emitter) -> None:
    """softmax(q kᵀ / √d + mask) v, for tensors laid out [batch, length, heads, d]."""
    only_first_result(operation, "what flash_attn keeps for its gradient")
    attributes = operation.attributes
    if attributes.get("dropout", 0.0) and not attributes.get("is_test", False):
        raise ObstacleError("flash_attn drops elements out")
    query, key, value = (given(operation, index) for index in range(3))
    if query.type.dims[2] != key.type.dims[2]:
        raise ObstacleError("flash_attn with fewer heads for keys than for queries")
    heads_first = (0, 2, 1, 3)
    q, k, v = (transpose(out, out.name(x), x.type, heads_first) for x in (query, key, value))
    batch, length, heads, size = query.type.dims
    if size < 1:
        raise ObstacleError("flash_attn with heads of unknown size")
    scores = TensorType(query.type.dtype, (batch, heads, length, key.type.dims[1]))
    scaled = unary(out, "scale", q, query.type, scale=1.0 / math.sqrt(size), bias=0.0)
    products = out.emit_new("matmul_v2", {"X": scaled, "Y": k}, "Out", scores, {"trans_y": True})
    for mask in out.optional(operation, 4):
        products = binary(out, "elementwise_add", products, mask, scores)
    if attributes.get("causal", False):
        if -1 not in (length, key.type.dims[1]) and length != key.type.dims[1]:
            raise ObstacleError("causal attention between sequences of different lengths")
        products = _hide_future(out, products, scores)
    weights = unary(out, "softmax", products, scores, axis=-1)
    mixed = replace(query.type, dims=(batch, heads, length, value.type.dims[3]))
    attended = out.emit_new("matmul_v2", {"X": weights, "Y": v}, "Out", mixed)
    result = operation.results[0]
    outputs = {
        "Out": out.define(result, "transpose2"),
        "XShape": out.temporary(replace(mixed, dims=(0, *mixed.dims)), "transpose2"),
    }
    out.emit("transpose2", {"X": attended}, outputs, {"axis": list(heads_first)})


def _hide_future(out: Emitter, scores: str, type_: TensorType) -> str:
    """Minus infinity above the diagonal, as a mask that is added."""
    ones = unary(out, "fill_any_like", scores, type_, value=1.0)
    lower = unary(out, "tril_triu", ones, type_, diagonal=0, lower=True)
    flags = cast(out, lower, type_, "bool")
    hidden = unary(out, "fill_any_like", scores, type_, value=float("-inf"))
    return out.emit_new("where", {"Condition": flags, "X": scores, "Y": hidden}, "Out", type_)


def _rms_norm_of_either_form(operation: Operation, out: Emitter) -> None:
    """``pd_op.rms_norm`` changed its operands in 3.3."""
    form = _rms_norm_of_sum if "begin_norm_axis" in operation.attributes else _rms_norm
    form.check(operation)
    form.emit(operation, out)


@special("is_test mode seed fix_seed", operands=4)
def _dropout_and_add(operation: Operation, out: Emitter) -> None:
    """In a program for inference dropping out does nothing, or scales by what is kept."""
    only_first_result(operation, "the seed of fused_dropout_add")
    if not operation.attributes.get("is_test", False):
        raise ObstacleError("fused_dropout_add drops elements out")
    source, result = given(operation, 0), operation.results[0]
    name = out.name(source)
    rate = single(given(operation, 3))
    if operation.attributes.get("mode") != "upscale_in_train":
        if rate is None:
            raise ObstacleError("the rate of fused_dropout_add is computed by the program")
        name = unary(out, "scale", name, source.type, scale=1.0 - rate, bias=0.0)
    inputs = {"X": name, "Y": out.operand(operation, 1)}
    finish(out, "elementwise_add", inputs, result, axis=-1)


@special(None, operands=5)
def _normalised_sum(operation: Operation, out: Emitter) -> None:
    """``layer_norm(x + bias + alpha * residual)``, and that sum: 2.6 has it on a GPU only."""
    if operation.attributes.get("quant_scale", -1.0) > 0:
        raise ObstacleError("fused_bias_residual_layernorm that quantises")
    source = given(operation, 0)
    normalised, total, *statistics = operation.results
    # In another form: layer_norm's have two axes here, and are no reciprocal roots.
    if any(one.uses for one in statistics):
        raise ObstacleError("the mean and variance of fused_bias_residual_layernorm are read")
    if total.uses and operation.operand(2) is None:  # which Paddle leaves without a shape
        raise ObstacleError("the sum of fused_bias_residual_layernorm without a residual is read")
    name = out.name(source)
    if operation.operand(1) is not None:
        name = binary(out, "elementwise_add", name, out.operand(operation, 1), source.type)
    residual = operation.operand(2)
    if residual is not None:
        alpha = operation.attributes.get("residual_alpha", 1.0)
        rest = unary(out, "scale", out.name(residual), residual.type, scale=alpha, bias=0.0)
        name = binary(out, "elementwise_add", name, rest, source.type)
    if total.uses:
        finish(out, "assign", {"X": name}, total)
    inputs = {"X": name}
    for slot, index in (("Scale", 3), ("Bias", 4)):
        if operation.operand(index) is not None:
            inputs[slot] = out.operand(operation, index)
    told = {key: operation.attributes[key] for key in ("epsilon", "begin_norm_axis")}
    slots = zip(("Y", "Mean", "Variance"), (normalised, *operation.results[2:4]))
    out.emit("layer_norm", inputs, {slot: out.define(one, slot) for slot, one in slots}, told)


RULES: Mapping[str, Conversion] = {
    "rms_norm": special(None, operands=5)(_rms_norm_of_either_form),
    "fused_rms_norm_ext": _rms_norm,
    "fused_rms_norm_quant": _rms_norm_of_sum,
    "fused_softmax_mask": _masked_softmax,
    "swiglu": _swiglu,
    "linear_v2": _linear,
    "flash_attn": _flash_attention,
    "fused_dropout_add": _dropout_and_add,
    "fused_bias_residual_layernorm": _normalised_sum,
}
