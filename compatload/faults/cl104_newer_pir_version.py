"""CL104: PIR program of a newer format version."""

from __future__ import annotations

from dataclasses import replace

from compatload.faults.model import PIR, PROGRAM, Action, Alone, Condition, Evidence, Rule

_PIR_IN_3 = Condition(paddle=">=3.0", formats=PIR)

RULE = Rule(
    id="CL104",
    title="PIR program of a newer format version",
    when=(Condition(paddle=">=3.0", formats=PIR, pir_newer=True),),
    action=Action.CONVERT,
    explanation=(
        "Attribute types changed between PIR versions, and Paddle translates upwards only. "
        "The program is rewritten for the release that is installed."
    ),
    without="error",
    evidence=(
        Evidence("measured", "3.3.1 → 3.0.0: `Type of attribute: strides is not right`"),
        Evidence("thread", "PaddlePaddle/PaddleOCR/issues/16327"),
        Evidence("thread", "PaddlePaddle/PaddleX/issues/4854"),
    ),
    parameters=("pir",),
    advice="Convert it once with `compatload convert MODEL TARGET --to paddle==RELEASE`.",
    alone=(
        # load_inference_model checks nothing before it reads; the others do.
        Alone(
            320,
            "crash",
            replace(_PIR_IN_3, apis=PROGRAM),
            "compatload.programs.sights:scalar_first_newer",
        ),
        Alone(321, "error", _PIR_IN_3, "compatload.programs.sights:unfit_newer"),
        Alone(322, "wrong", _PIR_IN_3, "compatload.programs.sights:unread_newer"),
    ),
)
