"""CL234: legacy programs that the predictor of 3.x translates to PIR, since its Config says so."""

from __future__ import annotations

from dataclasses import replace

from compatload.faults.model import Action, Evidence, Rule
from compatload.faults.onednn import LEGACY_ON_CPU

RULE = Rule(
    id="CL234",
    title="Paddle would translate this legacy program to PIR, and break what it does not know",
    when=(replace(LEGACY_ON_CPU, paddle=">=3.0", new_ir=True),),
    action=Action.WITHOUT_NEW_IR,
    explanation=(
        "With enable_new_ir a predictor of 3.x translates a legacy program to PIR before its "
        "passes: attributes that 2.x did not write are missing, negative steps are read "
        "otherwise, and what its oneDNN gets wrong in PIR programs comes on top, such as "
        "`ConvertPirAttribute2RuntimeAttribute not support`. The legacy program runs as it "
        "is, with oneDNN and its fusions, as fast. PaddleX and PaddleOCR 3 ask for it."
    ),
    without="error",
    evidence=(
        Evidence("measured", "PaddleX's Config, 2.6.2 → 3.3.1, all else mended: 20 of 95 networks"),
        Evidence("measured", "PP-OCRv4 detection, 320x320: 16 ms on 2.6.2, 16 ms on 3.3.1"),
        Evidence("thread", "PaddlePaddle/Paddle/issues/77340"),
        Evidence("thread", "PaddlePaddle/PaddleOCR/issues/17539"),
    ),
)
