"""Arithmetic, comparison and logic, element by element."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from compatload.conversion.pir_to_legacy.constants import single
from compatload.conversion.pir_to_legacy.emitter import Emitter, ObstacleError
from compatload.conversion.pir_to_legacy.graph import Operation
from compatload.conversion.pir_to_legacy.rules import (
    Conversion,
    Folded,
    apply,
    rule,
    special,
)

_ALIGN_LAST = {"axis": -1}  # broadcast as NumPy does

_ARITHMETIC = {
    "add": "elementwise_add",
    "subtract": "elementwise_sub",
    "multiply": "elementwise_mul",
    "divide": "elementwise_div",
    "maximum": "elementwise_max",
    "minimum": "elementwise_min",
    "remainder": "elementwise_mod",
    "floor_divide": "elementwise_floordiv",
    "elementwise_pow": "elementwise_pow",
    "equal": "equal",
    "not_equal": "not_equal",
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


RULES: Mapping[str, Conversion] = {
    **{name: rule(type_, "X Y", fixed=_ALIGN_LAST) for name, type_ in _ARITHMETIC.items()},
    "fmax": rule("elementwise_fmax", "X Y"),
    "heaviside": rule("elementwise_heaviside", "X Y"),
    "fmin": rule("elementwise_fmin", "X Y"),
    **{name: rule(name, "X Y") for name in _LOGIC},
    "logical_not": rule("logical_not"),
    "bitwise_not": rule("bitwise_not"),
    "add_n": rule("sum"),
    "atan2": rule("atan2", "X1 X2"),
    "nextafter": rule("nextafter", "x y", "out"),
    "lerp": rule("lerp", "X Y Weight"),
    "scale": rule("scale", "X scale", folded={"scale": Folded("scale", "ScaleTensor")}),
    "clip": rule(
        "clip", "X min max", folded={"min": Folded("min", "Min"), "max": Folded("max", "Max")}
    ),
    "pow": rule("pow", rename={"y": "factor"}),
    "isclose": _closeness,
    "allclose": _closeness,
    "equal_all": rule("equal_all", "X Y"),
    "complex": rule("complex", "X Y"),
}
