"""The incomplete gamma function, which 2.6 does not have, from the logarithm of the whole one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from compatload.programs.pir_to_legacy.emitter import Emitter, ObstacleError
from compatload.programs.pir_to_legacy.graph import Operation, TensorType
from compatload.programs.pir_to_legacy.rules import Conversion, special
from compatload.programs.pir_to_legacy.steps import (
    binary,
    cast,
    convert,
    filled,
    given,
    shape_output,
    unary,
)

# Terms of the sum, of which those around y count: exact to 1e-9 for y up to 400, and to 1e-6 up to
# the bound. Above it the normal distribution of the cube root (Wilson and Hilferty, 1931) is within
# 1e-5. Measured against Paddle 3.3.1.
_TERMS = 256
_BOUND = 600.0


@special(operands=2)
def _upper(operation: Operation, out: Emitter) -> None:
    """``1 - sum of y ** k * exp(-y) / gamma(k + 1)`` over k = x, x + 1, …; 1 where either is
    not above 0."""
    result = operation.results[0]
    operands = (given(operation, 0), given(operation, 1))
    if operands[0].type.dims != operands[1].type.dims:
        raise ObstacleError("of two shapes Paddle 3.x reads what is not there")
    type_ = replace(result.type, dtype="float64")
    x, y = (cast(out, out.name(value), value.type, "float64") for value in operands)
    flags = replace(type_, dtype="bool")

    def chosen(condition: str, one: str, other: str) -> str:
        inputs = {"Condition": condition, "X": one, "Y": other}
        return out.emit_new("where", inputs, "Out", type_)

    def all_of(number: float) -> str:
        return unary(out, "fill_any_like", y, type_, value=number)

    large = binary(out, "greater_than", y, all_of(_BOUND), flags)
    upper = chosen(large, _by_cube_root(x, y, type_, out), _by_terms(x, y, type_, out))
    for operand in (x, y):
        none = binary(out, "less_equal", operand, all_of(0.0), flags)
        upper = chosen(none, all_of(1.0), upper)
    if result.type.dtype == "float64":
        out.emit("assign", {"X": upper}, {"Out": out.define(result, "gammaincc")})
        return
    convert(out, upper, "float64", result.type.dtype, out.define(result, "gammaincc")[0])


def _by_terms(x: str, y: str, type_: TensorType, out: Emitter) -> str:
    begin = binary(out, "elementwise_sub", y, x, type_)
    begin = unary(out, "scale", begin, type_, scale=1.0, bias=-_TERMS / 2)
    begin = unary(out, "relu", unary(out, "ceil", begin, type_), type_)
    numbers = TensorType("float64", (_TERMS,))
    ends = {
        name: filled(out, value, TensorType("float64", (1,)))
        for name, value in (("Start", 0.0), ("End", float(_TERMS)), ("Step", 1.0))
    }
    step = out.emit_new("range", ends, "Out", numbers)
    each = replace(type_, dims=(*type_.dims, _TERMS))
    k = binary(
        out,
        "elementwise_add",
        _with_axis(binary(out, "elementwise_add", x, begin, type_), type_, out),
        step,
        each,
    )
    logarithm = binary(
        out, "elementwise_mul", k, _with_axis(unary(out, "log", y, type_), type_, out), each
    )
    whole = unary(out, "lgamma", unary(out, "scale", k, each, scale=1.0, bias=1.0), each)
    exponent = binary(out, "elementwise_sub", logarithm, _with_axis(y, type_, out), each)
    exponent = binary(out, "elementwise_sub", exponent, whole, each)
    told = {"dim": [-1], "keep_dim": False, "reduce_all": not type_.dims}
    lower = unary(out, "reduce_sum", unary(out, "exp", exponent, each), type_, **told)
    return unary(out, "scale", lower, type_, scale=-1.0, bias=1.0)


def _by_cube_root(x: str, y: str, type_: TensorType, out: Emitter) -> str:
    ratio = unary(out, "pow", binary(out, "elementwise_div", y, x, type_), type_, factor=1 / 3)
    mean = unary(out, "scale", unary(out, "reciprocal", x, type_), type_, scale=-1 / 9, bias=1.0)
    far = binary(out, "elementwise_sub", ratio, mean, type_)
    width = unary(out, "scale", unary(out, "sqrt", x, type_), type_, scale=3 / 2**0.5, bias=0.0)
    error = unary(out, "erf", binary(out, "elementwise_mul", far, width, type_), type_)
    return unary(out, "scale", error, type_, scale=-0.5, bias=0.5)


def _with_axis(name: str, type_: TensorType, out: Emitter) -> str:
    wide = out.temporary(replace(type_, dims=(*type_.dims, 1)), "unsqueeze2")
    outputs = {"Out": wide, **shape_output(out, type_)}
    out.emit("unsqueeze2", {"X": name}, outputs, {"axes": [len(type_.dims)]})
    return wide


RULES: Mapping[str, Conversion] = {"gammaincc": _upper}
