"""CL615: bfloat16 in oneDNN on a CPU without AVX-512, legacy program."""

from __future__ import annotations

from dataclasses import replace

from compatload.faults.cl614_bfloat16_without_avx512 import IN_BFLOAT16
from compatload.faults.model import Action, Alone, Evidence, Rule
from compatload.faults.onednn import LEGACY_ON_CPU, without_avx512

RULE = Rule(
    id="CL615",
    title="bfloat16 in oneDNN on a CPU without AVX-512, legacy program",
    when=(replace(without_avx512(LEGACY_ON_CPU), operators=IN_BFLOAT16),),
    action=Action.WITHOUT_ONEDNN,
    explanation=(
        "As CL614: no primitive of oneDNN computes in bfloat16 there. The operators that do are "
        "left out of the list that it may take."
    ),
    without="error",
    evidence=(
        Evidence(
            "measured",
            "`x.astype('bfloat16') * 2`, `h * h`, `h.sum(1)`, saved by 2.6.2: an error on "
            "2.6.2, 3.0.0, 3.3.1 (could not create a primitive descriptor), AMD EPYC without "
            "AVX-512, 2026-11-26",
        ),
    ),
    alone=(Alone(660, "error"),),
)
