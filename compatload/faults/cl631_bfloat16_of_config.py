"""CL631: additions in a predictor that is to compute in bfloat16, legacy program."""

from __future__ import annotations

from dataclasses import replace

from compatload.faults.model import Action, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import ADDITIONS, LEGACY_ON_CPU

RULE = Rule(
    id="CL631",
    title="additions in a predictor that is to compute in bfloat16, legacy program",
    when=(
        replace(
            LEGACY_ON_CPU,
            paddle=">=3.2",
            bfloat16=True,
            operators=(OperatorPattern(ADDITIONS),),
        ),
    ),
    action=Action.DELETE_PASSES,
    explanation=(
        "enable_mkldnn_bfloat16() gives additions one operand in bfloat16 and one in float32 from "
        "3.2 on: the first run ends in `float32 does not match bfloat16`. Without the pass that "
        "places them the predictor computes in float32, as convolutions alone do there anyway."
    ),
    without="error",
    evidence=(
        Evidence(
            "measured",
            "conv + conv, conv → batch_norm, conv → group_norm, linear, saved by 2.6.2: an error "
            "on 3.2.2 and 3.3.1, right on 2.6.2, 3.0.0 and 3.1.1 (0.005), AMD EPYC with AVX-512, "
            "2026-11-28; without the pass right by 1e-6",
        ),
    ),
    parameters=("cpu_bfloat16_placement_pass",),
)
