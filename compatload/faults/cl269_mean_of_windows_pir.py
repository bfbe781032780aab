"""CL269: means of windows that reach out of the image, oneDNN, PIR program."""

from __future__ import annotations

from dataclasses import replace

from compatload.faults.cl268_mean_of_windows import MEANS
from compatload.faults.model import Action, Alone, Evidence, Rule
from compatload.faults.onednn import PIR_ON_CPU

RULE = Rule(
    id="CL269",
    title="means of windows that reach out of the image, oneDNN, PIR program",
    when=(replace(PIR_ON_CPU, operators=MEANS),),
    action=Action.REWRITE,
    explanation="As CL268, for PIR programs; the error is `std::exception` there.",
    without="wrong",
    evidence=(
        Evidence("measured", "avg_pool2d(x, 2, 3, exclusive=False, ceil_mode=True): 3.0.0, 3.3.1"),
        Evidence("measured", "the same with 3, 2, padding 1: 3.0.0 and 3.3.1"),
    ),
    module="compatload.programs.rewritings.double_precision",
    alone=(Alone(565),),
)
