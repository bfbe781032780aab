"""Reductions and running sums."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from compatload.programs.pir_to_legacy.constants import constant
from compatload.programs.pir_to_legacy.emitter import Emitter
from compatload.programs.pir_to_legacy.graph import DataType, Operation
from compatload.programs.pir_to_legacy.rules import (
    Conversion,
    Folded,
    OperatorRule,
    Special,
    apply,
    rule,
    special,
)

_DIM = {"dim": Folded("dim")}
_FIXED = {"in_dtype": -1, "out_dtype": -1}
# 2.6 adds and multiplies these in int64 unless it is told another type; 3.x keeps a type asked for.
_WIDENED = frozenset({"reduce_sum", "reduce_prod"})
_NARROW = frozenset({"bool", "int8", "int16", "int32", "uint8"})
# PIR operator → legacy operator; those with an operand for the axes, and those without.
_COMPUTED_AXES = {
    "sum": "reduce_sum",
    "mean": "reduce_mean",
    "max": "reduce_max",
    "min": "reduce_min",
    "prod": "reduce_prod",
    "frobenius_norm": "frobenius_norm",
}
_FIXED_AXES = {
    "all": "reduce_all",
    "any": "reduce_any",
    "amax": "reduce_amax",
    "amin": "reduce_amin",
}


REDUCTIONS: Mapping[str, OperatorRule] = {
    **{
        name: rule(
            type_,
            "X dim",
            folded=_DIM,
            rename={"keepdim": "keep_dim"},
            fixed=_FIXED,
            ignored="dtype",
        )
        for name, type_ in _COMPUTED_AXES.items()
    },
    **{
        name: rule(type_, rename={"keepdim": "keep_dim", "axis": "dim"}, fixed=_FIXED)
        for name, type_ in _FIXED_AXES.items()
    },
}


def _reduction(template: OperatorRule) -> Special:
    @special(None, operands=2)
    def convert(operation: Operation, out: Emitter) -> None:
        """No axes means all of them, which 2.6 wants said."""
        overrides: dict[str, Any] = {"reduce_all": covers_all(operation)}
        operand, result = operation.operand(0), operation.results[0]
        widened = template.type in _WIDENED and result.type.dtype in _NARROW
        if operand is not None and (widened or operand.type.dtype != result.type.dtype):
            overrides["in_dtype"] = DataType(operand.type.dtype)
            overrides["out_dtype"] = DataType(result.type.dtype)
        apply(template, operation, out, **overrides)

    return convert


def covers_all(operation: Operation) -> bool:
    """Whether it reduces along every axis; of a gradient as well."""
    if operation.attributes.get("reduce_all"):
        return True
    if "axis" in operation.attributes:
        return not operation.attributes["axis"]
    axes = operation.operands[-1]
    return axes is not None and constant(axes) == []


LOGSUMEXP = rule("logsumexp")


@special(None)
def _logsumexp(operation: Operation, out: Emitter) -> None:
    axes = operation.attributes.get("axis", [])
    apply(LOGSUMEXP, operation, out, reduce_all=covers_all(operation), axis=axes or [0])


RULES: Mapping[str, Conversion] = {
    **{name: _reduction(template) for name, template in REDUCTIONS.items()},
    "mean_all": rule("mean"),
    "logsumexp": _logsumexp,
    "argmax": rule("arg_max", "X axis", folded={"axis": Folded("axis")}),
    "argmin": rule("arg_min", "X axis", folded={"axis": Folded("axis")}),
    "cumsum": rule("cumsum", "X axis", folded={"axis": Folded("axis")}),
    "cumprod": rule("cumprod", neutral={"exclusive": False, "reverse": False}),
    "cummax": rule("cummax", "x", "out indices"),
    "cummin": rule("cummin", "x", "out indices"),
    "logcumsumexp": rule("logcumsumexp"),
    "nanmedian": rule("nanmedian", "X", "Out MedianIndex", neutral={"mode": "avg"}),
    "segment_pool": rule("segment_pool", "X SegmentIds", "Out SummedIds"),
}
