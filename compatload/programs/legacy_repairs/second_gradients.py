"""Gradients of gradients of 2.6, by what the translator of 3.x knows (CL180)."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any

from compatload.programs.legacy_repairs.program import (
    FLOAT32,
    LegacyProgram,
    arguments,
    attribute,
    new_operator,
    typed,
)
from compatload.programs.legacy_repairs.standard_operators import assign
from compatload.programs.second_gradients import FORMULAS, Operands

RULE = "CL180"
# By 2.6's name. The others are translated and right.
_FORWARDS = {
    "abs_double_grad": "abs",
    "cos_double_grad": "cos",
    "elementwise_add_grad_grad": "add",
    "elementwise_div_grad_grad": "divide",
    "elementwise_mul_grad_grad": "multiply",
    "elementwise_sub_grad_grad": "subtract",
    "leaky_relu_grad_grad": "leaky_relu",
    "log_grad_grad": "log",
    "pow_double_grad": "pow",
    "rsqrt_grad_grad": "rsqrt",
    "sigmoid_grad_grad": "sigmoid",
    "sin_double_grad": "sin",
    "softplus_double_grad": "softplus",
    "sqrt_grad_grad": "sqrt",
}
_READ = {
    "X": "x",
    "x": "x",
    "Y": "y",
    "Out": "out",
    **dict.fromkeys(("grad_out", "fwd_grad_out", "DOut"), "grad_out"),
    **dict.fromkeys(("grad_x", "DX"), "grad_x"),
    **dict.fromkeys(("grad_x@GRAD", "DDX"), "grad_x_grad"),
    **dict.fromkeys(("grad_y@GRAD", "DDY"), "grad_y_grad"),
}
_MADE = {
    "X@GRAD": "x_grad",
    "Y@GRAD": "y_grad",
    **dict.fromkeys(("Out@GRAD", "DOut"), "out_grad"),
    **dict.fromkeys(("grad_out@GRAD", "fwd_grad_out@GRAD", "DDOut"), "grad_out_grad"),
}
_DEFAULTS = {"factor": 1.0, "beta": 1.0, "threshold": 20.0, "alpha": 0.02}


class _Written:
    """Operators written one after the other, whose results are declared as their inputs are."""

    def __init__(self, program: LegacyProgram, block: Any) -> None:
        self._program, self._block = program, block
        self.operators: list[Any] = []

    def _declared(self, kind: str, like: str) -> str:
        data_type = self._program.data_type(self._block, like)
        shape = self._program.shape(self._block, like) or ()
        number = FLOAT32 if data_type is None else data_type
        return self._program.add_tensor(self._block, kind, number, shape)

    def new(self, kind: str, like: str, inputs: Operands, **attributes: Any) -> str:
        made = self._declared(kind, like)
        self._write(kind, inputs, {"Out": made}, attributes)
        return made

    def gradient(self, kind: str, like: str, inputs: Operands, slot: str, **attributes: Any) -> str:
        made = {f"{one}@GRAD": self._declared(kind, inputs[one]) for one in "XY"}
        self._write(kind, inputs, made, attributes)
        return made[f"{slot}@GRAD"]

    def _write(self, kind: str, inputs: Operands, made: Operands, told: dict[str, Any]) -> None:
        written = {name: typed(value) for name, value in told.items()}
        self.operators.append(new_operator(kind, _each(inputs), _each(made), written))


def _each(slots: Operands) -> dict[str, list[str]]:
    return {slot: [name] for slot, name in slots.items()}


def _lone(slots: Any, names: Iterable[str]) -> dict[str, str]:
    found = ((slot, arguments(slots, slot)) for slot in names)
    return {slot: name[0] for slot, name in found if len(name) == 1}


def _by_formula(
    forward: str, program: LegacyProgram, block: Any, operator: Any, position: str
) -> list[Any] | None:
    read, made = _lone(operator.inputs, _READ), _lone(operator.outputs, _MADE)
    told = {name: attribute(operator, name, default) for name, default in _DEFAULTS.items()}
    steps = _Written(program, block)
    try:
        known = {_READ[slot]: name for slot, name in read.items()}
        results = FORMULAS[forward](steps, known, told)
        for slot, name in made.items():
            steps.operators.append(assign(results[_MADE[slot]](), name))
    except (KeyError, ValueError):  # not of this operator, or none that the formula holds for
        return None
    program.record(RULE, "a gradient of a gradient is computed by what 3.x knows", position)
    return steps.operators


REPAIRS = {kind: partial(_by_formula, forward) for kind, forward in _FORWARDS.items()}
