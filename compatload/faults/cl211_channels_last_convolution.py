"""CL211: convolution with channels last, oneDNN, legacy program."""

from __future__ import annotations

from dataclasses import replace

from compatload.faults.model import Action, Alone, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import LEGACY_ON_CPU, PLAIN_CONVOLUTIONS

_CHANNELS_LAST = replace(
    LEGACY_ON_CPU,
    operators=tuple(
        OperatorPattern(PLAIN_CONVOLUTIONS, (("data_format", layout),))
        for layout in ("NHWC", "NDHWC")
    ),
)

RULE = Rule(
    id="CL211",
    title="convolution with channels last, oneDNN, legacy program",
    when=(_CHANNELS_LAST,),
    action=Action.DISABLE_ONEDNN,
    explanation=(
        "The bias that follows such a convolution is added along the wrong axis: 3.x returns "
        "other numbers without an error, 2.6 cannot create the operator."
    ),
    without="wrong",
    evidence=(Evidence("measured", "saved by 2.6.2: difference 0.82 on 3.3.1, an error on 2.6.2"),),
    alone=(
        Alone(426, "error", replace(_CHANNELS_LAST, paddle="<3.0")),
        Alone(510, "wrong", replace(_CHANNELS_LAST, paddle=">=3.0")),
    ),
)
