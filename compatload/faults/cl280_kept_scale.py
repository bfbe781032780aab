"""CL280: a quantiser that keeps the scale it measured in a parameter."""

from __future__ import annotations

from compatload.faults.model import Action, Evidence, Rule

# They measure what they are given; no operator reads what they keep of it.
MEASURING = frozenset(
    {
        *("fake_quantize_abs_max", "fake_quantize_dequantize_abs_max"),
        *("fake_channel_wise_quantize_abs_max", "fake_channel_wise_quantize_dequantize_abs_max"),
    }
)

RULE = Rule(
    id="CL280",
    title="a quantiser that keeps the scale it measured in a parameter",
    action=Action.REPAIR,
    explanation=(
        "Quantisers of weights (`FakeQuantAbsMax`, `FakeQuantChannelWiseAbsMax`) write the scale "
        "that they measure at each run into a parameter. Translated to PIR, that result is marked "
        "as one that stays, and `save_inference_model`'s loaders and executors ask for its name, "
        "which only parameters and inputs have: ValueError. Nobody reads it: the scale goes into "
        "a value of the run."
    ),
    without="error",
    evidence=(Evidence("measured", "weights quantised by channel in 2.6.2: 3.0.0, 3.3.1"),),
    module="compatload.programs.legacy_repairs.kept_scales",
)
