"""CL610: slices that may begin before what they are taken of, oneDNN, PIR program."""

from __future__ import annotations

from dataclasses import replace

from compatload.faults.cl609_slice_from_before import BEYOND_ONEDNN, begins_before
from compatload.faults.model import Action, Alone, Evidence, Rule
from compatload.faults.onednn import PIR_ON_CPU

RULE = Rule(
    id="CL610",
    title="slice that may begin before what it is taken of, oneDNN, PIR program",
    when=(replace(PIR_ON_CPU, operators=BEYOND_ONEDNN),),
    action=Action.REWRITE,
    explanation=(
        "As CL609, in PIR programs (`std::exception`). There a slice cannot be left to Paddle's "
        "own kernel alone: it becomes a `strided_slice` by steps of 1, which oneDNN does not have; "
        "axes that it drops are gathered away. What a run may find without elements is for CL630."
    ),
    without="error",
    evidence=(
        Evidence("measured", "x[:, -8:] of 7 places, 3.0.0 and 3.3.1; int64 and float64: right"),
        Evidence(
            "measured", "concat([y, x[:, :-1]], 1), one place: the same; other slices of none"
        ),
        Evidence("measured", "x[:, n:], where a run gives n: the same, or right"),
    ),
    module="compatload.programs.rewritings.by_strides",
    alone=(Alone(653, sees=begins_before),),
)
