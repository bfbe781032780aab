"""CL156: a program with channels last, behind which its thread reads every other one so."""

from __future__ import annotations

from compatload.faults.model import Action, Evidence, Rule

# What a thread takes for channels last.
CHANNELS_LAST = "NHWC"

RULE = Rule(
    id="CL156",
    title="a program with channels last, behind which its thread reads every other one so",
    action=Action.REPAIR,
    explanation=(
        "On the CPU the first operator of a program that has a data format says for the thread how "
        "oneDNN is to read axes, and NHWC stays when the run ends, be it of a layer, a program or "
        "a predictor without oneDNN. Predictors made before then fail, or return other numbers "
        "without an error, whenever that thread runs them: `Broadcast dimension mismatch`. An "
        "operator before it says NCHW, which is what a thread begins with."
    ),
    without="wrong",
    evidence=(
        Evidence(
            "measured",
            "a convolution NHWC run as layer, program or predictor, then a predictor with oneDNN "
            "of convolutions NCHW that was right before: an error on 2.6.2, 3.0.0, 3.3.1, of "
            "legacy and of PIR programs; run in another thread: right",
        ),
        Evidence("measured", "another predictor made after it, or an Executor let go: right again"),
    ),
    module="compatload.programs.layouts",
)
