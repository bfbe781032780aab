"""Operators of models trained for, or calibrated to, few bits (QAT, PTQ)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from compatload.programs.pir_to_legacy.rules import Conversion, OperatorRule, rule

# 2.6 rounds halves away from zero and does not ask; its linear operators do.
_AWAY_FROM_ZERO: Mapping[str, Any] = {"round_type": 1}
_STATE = "Out OutScale OutState OutAccum"


def _moving(name: str, inputs: str = "X InScale InAccum InState") -> OperatorRule:
    neutral = {} if name == "moving_average_abs_max_scale" else _AWAY_FROM_ZERO
    return rule(name, inputs, _STATE, neutral=neutral)


def _linear(name: str) -> OperatorRule:
    outputs = "Y OutState OutAccum OutScale"
    return rule(name, "X Scale ZeroPoint InAccum InState", outputs, ignored="qmin qmax")


def _measuring(name: str) -> OperatorRule:
    return rule(name, "X", "Out OutScale", neutral=_AWAY_FROM_ZERO)


RULES: Mapping[str, Conversion] = {
    "dequantize_linear": _linear("dequantize_linear"),
    "quantize_linear": _linear("quantize_linear"),
    "fake_channel_wise_dequantize_max_abs": rule(
        "fake_channel_wise_dequantize_max_abs", "X Scales"
    ),
    "fake_dequantize_max_abs": rule("fake_dequantize_max_abs", "X Scale"),
    "moving_average_abs_max_scale": _moving("moving_average_abs_max_scale", "X InAccum InState"),
    "fake_quantize_range_abs_max": rule(
        "fake_quantize_range_abs_max",
        "X InScale Iter",
        "Out OutScale OutScales",
        neutral=_AWAY_FROM_ZERO,
    ),
    **{
        name: _measuring(name)
        for name in (
            "fake_channel_wise_quantize_abs_max",
            "fake_channel_wise_quantize_dequantize_abs_max",
            "fake_quantize_abs_max",
            "fake_quantize_dequantize_abs_max",
        )
    },
    **{
        name: _moving(name)
        for name in (
            "fake_quantize_dequantize_moving_average_abs_max",
            "fake_quantize_moving_average_abs_max",
        )
    },
}
