"""CL269: windows that reach out of the image, oneDNN, PIR program."""

from __future__ import annotations

from dataclasses import replace

from compatload.faults.cl268_windows_reaching_out import PADDED_LESS_LAST, POOLINGS
from compatload.faults.model import Action, Alone, Evidence, Rule
from compatload.faults.onednn import PIR_ON_CPU

RULE = Rule(
    id="CL269",
    title="windows that reach out of the image, oneDNN, PIR program",
    when=(replace(PIR_ON_CPU, operators=POOLINGS),),
    action=Action.REWRITE,
    explanation="As CL268, for PIR programs; the error is `std::exception` there.",
    without="wrong",
    evidence=(
        Evidence("measured", "avg_pool2d(x, 2, 3, exclusive=False, ceil_mode=True): 3.0.0, 3.3.1"),
        Evidence("measured", "the same with 3, 2, padding 1: 3.0.0 and 3.3.1"),
    ),
    module="compatload.programs.rewritings.double_precision",
    alone=(
        Alone(479, "error", when=replace(PIR_ON_CPU, operators=PADDED_LESS_LAST)),
        Alone(565),
    ),
)
