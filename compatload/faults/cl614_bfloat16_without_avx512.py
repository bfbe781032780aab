"""CL614: bfloat16 in oneDNN on a CPU without AVX-512."""

from __future__ import annotations

from dataclasses import replace

from compatload.faults.graph import takes_bfloat16
from compatload.faults.model import Action, Alone, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import BINARY, PIR_ON_CPU, PLACEMENT_PASS, without_avx512

# What Paddle's own kernels compute in bfloat16 on a CPU, and oneDNN does on others only. What moves
# numbers without computing (reshape, concat, slice) runs on all.
_COMPUTING = BINARY | {
    *("bilinear_interp", "bilinear_interp_v2", "nearest_interp", "nearest_interp_v2"),
    *("reduce_sum", "scale", "sum"),
}


IN_BFLOAT16 = (OperatorPattern(_COMPUTING, where=takes_bfloat16),)

RULE = Rule(
    id="CL614",
    title="bfloat16 in oneDNN on a CPU without AVX-512, PIR program",
    when=(replace(without_avx512(PIR_ON_CPU), operators=IN_BFLOAT16),),
    action=Action.DELETE_PASSES,
    explanation=(
        "oneDNN computes in bfloat16 with AVX-512 only, and Paddle gives it the operators without "
        "asking: they end in `std::exception`. Paddle's own kernels compute them everywhere. No "
        "CPU of Hygon or Zhaoxin has AVX-512."
    ),
    without="error",
    evidence=(
        Evidence(
            "measured",
            "`x.astype('bfloat16') * 2`, `h * h`, `h.sum(1)`, interpolate, 3.0.0 and 3.3.1, AMD "
            "EPYC without AVX-512 (2026-11-26)",
        ),
        Evidence("measured", "concat, reshape, slice, split, stack, transpose of it: right there"),
    ),
    parameters=PLACEMENT_PASS,
    alone=(Alone(659, "error"),),
)
