"""Resizing of images and signals."""

from __future__ import annotations

from collections.abc import Mapping

from compatload.programs.pir_to_legacy.emitter import Emitter
from compatload.programs.pir_to_legacy.graph import Operation
from compatload.programs.pir_to_legacy.rules import Conversion, apply, rule, special
from compatload.programs.pir_to_legacy.steps import cast

_KINDS = ("linear", "bilinear", "trilinear", "bicubic", "nearest")
_OUT_SIZE, _SIZE_TENSOR = 1, 2  # operands


@special(None, operands=4)
def _interpolation(operation: Operation, out: Emitter) -> None:
    """Sizes that the program computes must be int32 for 2.6."""
    given = {index: operation.operand(index) for index in (_OUT_SIZE, _SIZE_TENSOR)}
    narrow = {
        index: tuple(
            cast(out, name, type_, "int32") for name, type_ in zip(out.names(value), value.types)
        )
        for index, value in given.items()
        if value is not None
    }
    kind = operation.name.rpartition(".")[2]
    renamed = {"data_format": "data_layout"}
    sized = rule(f"{kind}_v2", "X OutSize SizeTensor Scale", rename=renamed)
    apply(sized, operation, out, operands=narrow)


RULES: Mapping[str, Conversion] = {f"{kind}_interp": _interpolation for kind in _KINDS}
