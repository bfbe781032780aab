"""Arithmetic, comparison and logic, element by element."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from compatload.faults.cl142_mended_in_3_1 import FLOATS
from compatload.faults.cl143_mended_in_3_1_pir import BEFORE_3_1
from compatload.programs.pir_to_legacy.constants import single
from compatload.programs.pir_to_legacy.emitter import Emitter, ObstacleError
from compatload.programs.pir_to_legacy.graph import Operation, Value
from compatload.programs.pir_to_legacy.rules import (
    Conversion,
    Folded,
    apply,
    rule,
    special,
)
from compatload.programs.pir_to_legacy.steps import (
    binary,
    cast,
    convert,
    finish,
    given,
    unary,
    with_axes_before,
)

IN_32_BITS = 1  # the version of PIR that 3.0 writes
_ALIGN_LAST = {"axis": -1}  # broadcast as NumPy does

_ARITHMETIC = {
    "subtract": "elementwise_sub",
    "multiply": "elementwise_mul",
    "maximum": "elementwise_max",
    "minimum": "elementwise_min",
    "remainder": "elementwise_mod",
    "floor_divide": "elementwise_floordiv",
    "less_than": "less_than",
    "less_equal": "less_equal",
    "greater_than": "greater_than",
    "greater_equal": "greater_equal",
}
_LOGIC = ("logical_and", "logical_or", "logical_xor", "bitwise_and", "bitwise_or", "bitwise_xor")


@special(None, operands=4)
def _closeness(operation: Operation, out: Emitter) -> None:
    """``allclose`` and ``isclose`` keep their tolerances as text."""
    kind = operation.name.rpartition(".")[2]
    tolerances: dict[str, Any] = {}
    for index, name in ((2, "rtol"), (3, "atol")):
        value = operation.operand(index)
        known = None if value is None else single(value)
        if known is None:
            raise ObstacleError(f"{name} of {kind} is computed by the program")
        tolerances[name] = repr(known)
    apply(rule(kind, "Input Other - -"), operation, out, **tolerances)


_EQUAL_ALL = rule("equal_all", "X Y")


@special(None, operands=2)
def _equal_all(operation: Operation, out: Emitter) -> None:
    """Before 3.3 the first operand has to have as many axes: equal are they in either order."""
    first, second = given(operation, 0), given(operation, 1)
    if len(first.type.dims) < len(second.type.dims):
        operation = replace(operation, operands=(second, first))
    apply(_EQUAL_ALL, operation, out)


_HEAVISIDE = rule("elementwise_heaviside", "X Y")


@special(None, operands=2)
def _heaviside(operation: Operation, out: Emitter) -> None:
    """2.6 exchanges the operands where the first has fewer axes, as 3.0 does (CL143)."""
    first, second = given(operation, 0), given(operation, 1)
    lacking = len(second.type.dims) - len(first.type.dims)
    if lacking <= 0 or out.pir_version <= BEFORE_3_1:
        apply(_HEAVISIDE, operation, out)
        return
    apply(_HEAVISIDE, operation, out, {0: (with_axes_before(out, first, lacking),)})


@special(operands=2)
def _equality(operation: Operation, out: Emitter) -> None:
    """Before 3.1 floats are equal where less than 1e-8 lies between them (CL143)."""
    kind = operation.name.rpartition(".")[2].rstrip("_")
    first, second = given(operation, 0), given(operation, 1)
    if out.pir_version <= BEFORE_3_1 or {first.type.dtype, second.type.dtype}.isdisjoint(FLOATS):
        apply(rule(kind, "X Y", fixed=_ALIGN_LAST), operation, out)
        return
    names, result = (out.name(first), out.name(second)), operation.results[0]
    sides = [binary(out, "less_equal", *two, result.type) for two in (names, names[::-1])]
    inputs = dict(zip("XY", sides))
    if kind == "equal":
        finish(out, "logical_and", inputs, result)
        return
    same = out.emit_new("logical_and", inputs, "Out", result.type, {})
    finish(out, "logical_not", {"X": same}, result)


ADD = rule("elementwise_add", "X Y", fixed=_ALIGN_LAST)
_CONVOLUTIONS = frozenset(
    f"pd_op.{name}"
    for name in (
        *("conv2d", "conv3d", "depthwise_conv2d", "deformable_conv"),
        *("conv2d_transpose", "conv3d_transpose", "depthwise_conv2d_transpose"),
    )
)


@special(None, operands=2)
def _add(operation: Operation, out: Emitter) -> None:
    """A convolution's bias is added along its channels, as releases before PIR wrote it.

    3.x reshapes it first. Passes that fuse a bias into its convolution know the older form only:
    the predictor of PP-OCRv4's detector takes 404 ms to make with the newer one, 227 with this.
    """
    bias = _channel_bias(operation)
    if bias is None:
        apply(ADD, operation, out)
        return
    parameter, axis = bias
    apply(ADD, operation, out, {1: out.names(parameter)}, axis=axis)


def _channel_bias(operation: Operation) -> tuple[Value, int] | None:
    """The parameter that is added to a convolution's result, and the axis along which."""
    result, reshaped = operation.operand(0), operation.operand(1)
    if result is None or reshaped is None or result.producer is None or reshaped.producer is None:
        return None
    if result.producer.name not in _CONVOLUTIONS or reshaped.producer.name != "pd_op.reshape":
        return None
    source = reshaped.producer.operand(0)
    if source is None or source.producer is None or source.producer.name != "builtin.parameter":
        return None
    shape, dims = source.type.dims, reshaped.type.dims
    axes = [axis for axis, size in enumerate(dims) if size != 1]
    if len(shape) != 1 or len(axes) != 1 or len(dims) != len(result.type.dims):
        return None
    (axis,) = axes
    if not shape[0] == dims[axis] == result.type.dims[axis]:
        return None
    return source, axis


DIVIDE = rule("elementwise_div", "X Y", fixed=_ALIGN_LAST)
POWER = rule("elementwise_pow", "X Y", fixed=_ALIGN_LAST)


@special(None, operands=2)
def _divide(operation: Operation, out: Emitter) -> None:
    """A bool by a bool is the first one; 2.6 dies of False (SIGFPE) where it is the smaller."""
    result = operation.results[0]
    if result.type.dtype != "bool":
        apply(DIVIDE, operation, out)
        return
    first, second = (out.operand(operation, index) for index in (0, 1))
    either = out.emit_new("logical_or", {"X": first, "Y": second}, "Out", result.type)
    finish(out, "logical_and", {"X": first, "Y": either}, result)


@special(None, operands=2)
def _power(operation: Operation, out: Emitter) -> None:
    """Since 3.1 powers of 32 bits are those of 64, cut off, and 0 to the -1st is 0, not the least
    number: as 2 to the -1st is in 2.6."""
    result = operation.results[0]
    if result.type.dtype not in ("int32", "int64") or out.pir_version <= IN_32_BITS:
        apply(POWER, operation, out)
        return
    values = [given(operation, index) for index in (0, 1)]
    first, second = (cast(out, out.name(one), one.type, "int64") for one in values)
    kinds = [replace(one.type, dtype="int64") for one in values]
    type_ = replace(result.type, dtype="int64")
    flags = []
    for name, kind, compare in zip((first, second), kinds, ("equal", "less_than")):
        nothing = unary(out, "fill_any_like", name, kind, value=0.0)
        flag = replace(kind, dtype="bool")
        flags.append(cast(out, binary(out, compare, name, nothing, flag), flag, "int64"))
    both = binary(out, "elementwise_mul", flags[0], flags[1], type_)
    twice = unary(out, "scale", both, type_, scale=2.0, bias=0.0)
    base = binary(out, "elementwise_add", first, twice, type_)
    wide = binary(out, "elementwise_pow", base, second, type_)
    convert(out, wide, "int64", result.type.dtype, out.define(result, "cast")[0])


_NEXTAFTER = rule("nextafter", "x y", "out")


@special(operands=2)
def _nextafter(operation: Operation, out: Emitter) -> None:
    """2.6 wants operands of one shape."""
    values, result = [given(operation, index) for index in (0, 1)], operation.results[0].type
    whole = next((one for one in values if one.type.dims == result.dims), None)
    widened = {}
    for index, value in enumerate(values):
        if value.type.dims == result.dims:
            continue
        if whole is None:
            raise ObstacleError("Paddle 2.6 has nextafter for operands of one shape")
        inputs = {"X": out.name(value), "Y": out.name(whole)}
        told = {"target_shape": [*result.dims]}
        widened[index] = (out.emit_new("expand_as_v2", inputs, "Out", result, told),)
    apply(_NEXTAFTER, operation, out, widened)


RULES: Mapping[str, Conversion] = {
    "add_position_encoding": rule("add_position_encoding"),
    "divide": _divide,
    "elementwise_pow": _power,
    **{name: rule(type_, "X Y", fixed=_ALIGN_LAST) for name, type_ in _ARITHMETIC.items()},
    "add": _add,
    "fmax": rule("elementwise_fmax", "X Y"),
    "heaviside": _heaviside,
    "equal": _equality,
    "not_equal": _equality,
    "fmin": rule("elementwise_fmin", "X Y"),
    **{name: rule(name, "X Y") for name in _LOGIC},
    "logical_not": rule("logical_not"),
    "bitwise_not": rule("bitwise_not"),
    "add_n": rule("sum"),
    "atan2": rule("atan2", "X1 X2"),
    "nextafter": _nextafter,
    "lerp": rule("lerp", "X Y Weight"),
    "scale": rule("scale", "X scale", folded={"scale": Folded("scale", "ScaleTensor")}),
    "clip": rule(
        "clip", "X min max", folded={"min": Folded("min", "Min"), "max": Folded("max", "Max")}
    ),
    "pow": rule("pow", rename={"y": "factor"}),
    "isclose": _closeness,
    "allclose": _closeness,
    "equal_all": _equal_all,
    "complex": rule("complex", "X Y"),
}
