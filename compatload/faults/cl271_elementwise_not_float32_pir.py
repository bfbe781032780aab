"""CL271: activation after a sum, difference or product that is not of float32, oneDNN, PIR."""

from __future__ import annotations

from dataclasses import replace

from compatload.faults.cl270_elementwise_not_float32 import ACTIVATED, FUSING_PASS, fused
from compatload.faults.model import Action, Alone, Evidence, Rule
from compatload.faults.onednn import PIR_ON_CPU

RULE = Rule(
    id="CL271",
    title="activation after a sum that is not of float32, oneDNN, PIR program",
    when=(replace(PIR_ON_CPU, operators=ACTIVATED),),
    action=Action.DELETE_PASSES,
    explanation=(
        "As CL270, without an error: the pass fuses the two, what runs is the plain sum, and the "
        "activation is lost."
    ),
    without="wrong",
    evidence=(
        Evidence("measured", "(i - j).abs() of int64, int32, float64: negative, 3.0.0 and 3.3.1"),
        Evidence("measured", "relu, sigmoid, gelu, tanh, sqrt, swish of float64 sums: the same"),
    ),
    parameters=FUSING_PASS,
    alone=(Alone(573, sees=fused),),
)
