"""CL211: operator with channels last, oneDNN, legacy program."""

from __future__ import annotations

from dataclasses import replace

from compatload.faults.model import Action, Alone, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import (
    CHANNELS_LAST,
    LEGACY_ON_CPU,
    PLAIN_CONVOLUTIONS,
    misread,
    of_other_ranks,
)

_CONVOLUTIONS = replace(
    LEGACY_ON_CPU,
    operators=tuple(
        OperatorPattern(PLAIN_CONVOLUTIONS, (("data_format", layout),))
        for layout in ("NHWC", "NDHWC")
    ),
)

RULE = Rule(
    id="CL211",
    title="operator with channels last, oneDNN, legacy program",
    when=(replace(LEGACY_ON_CPU, operators=CHANNELS_LAST),),
    action=Action.DISABLE_ONEDNN,
    explanation=(
        "The bias that follows such a convolution is added along the wrong axis: 3.x returns "
        "other numbers without an error, 2.6 cannot create the operator. What pools, resizes, pads "
        "or normalises is refused, or what follows takes the axes for those of channels first."
    ),
    without="wrong",
    evidence=(
        Evidence("measured", "saved by 2.6.2: difference 0.82 on 3.3.1, an error on 2.6.2"),
        Evidence("measured", "pool, interpolate, pad: an error on 2.6.2 and 3.3.1"),
        Evidence(
            "measured",
            "x.sum() * weight of one axis beside a pool: `could not reshape a memory descriptor`; "
            "x * weight of one axis: right on 2.6.2, an error on 3.0.0 and 3.3.1",
        ),
        Evidence("measured", "batch_norm and concat, slice, softmax: wrong on 2.6.2 and 3.3.1"),
    ),
    alone=(
        Alone(426, "error", replace(_CONVOLUTIONS, paddle="<3.0")),
        Alone(510, "wrong", replace(_CONVOLUTIONS, paddle=">=3.0")),
        Alone(511, sees=misread),
        Alone(727, "error", sees=of_other_ranks),
    ),
)
