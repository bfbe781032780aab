"""Gradients of gradients (``paddle.grad`` of what another one gave), by what 2.6 has."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from compatload.operators.registry import known_releases, pir_operators
from compatload.programs.pir_to_legacy.emitter import Emitter, ObstacleError
from compatload.programs.pir_to_legacy.graph import Operation, TensorType
from compatload.programs.pir_to_legacy.rules import Conversion, Special
from compatload.programs.pir_to_legacy.steps import finish
from compatload.programs.second_gradients import FORMULAS, Operands

_ENDING = "_double_grad"
# What the formulas call attributes of another name.
_TOLD = {
    "y": "factor",
    "negative_slope": "alpha",
    "transpose_x": "trans_x",
    "transpose_y": "trans_y",
}


class _Emitted:
    """Operators written one after the other, of types that follow from those of their inputs."""

    def __init__(self, out: Emitter, types: dict[str, TensorType]) -> None:
        self._out, self._types = out, types

    def new(self, kind: str, like: str, inputs: Operands, **attributes: Any) -> str:
        made = self._out.emit_new(kind, inputs, "Out", self._types[like], attributes)
        self._types[made] = self._types[like]
        return made

    def gradient(self, kind: str, like: str, inputs: Operands, slot: str, **attributes: Any) -> str:
        made = {f"{one}@GRAD": self._out.temporary(self._types[inputs[one]], kind) for one in "XY"}
        self._out.emit(kind, inputs, made, attributes)
        return made[f"{slot}@GRAD"]


def _convert(forward: str, operation: Operation, out: Emitter) -> None:
    described = pir_operators(known_releases()[-1])[f"pd_op.{forward}{_ENDING}"]
    if len(operation.operands) != len(described.operands):
        raise ObstacleError("it has the operands of another release")
    named = zip((one.name for one in described.operands), operation.operands)
    given = {name: value for name, value in named if value is not None}
    types = {out.name(value): value.type for value in given.values()}
    known = {name: out.name(value) for name, value in given.items()}
    told = {_TOLD.get(name, name): value for name, value in operation.attributes.items()}
    results = FORMULAS[forward](_Emitted(out, types), known, told)
    for name, value in zip((one.name for one in described.results), operation.results):
        if value.uses:
            finish(out, "assign", {"X": results[name]()}, value)


RULES: Mapping[str, Conversion] = {
    f"{name}{_ENDING}": Special(partial(_convert, name), None, 6) for name in FORMULAS
}
