"""CL253: operator with channels last, oneDNN, PIR program."""

from __future__ import annotations

from dataclasses import replace

from compatload.faults.model import Action, Alone, Evidence, Rule
from compatload.faults.onednn import CHANNELS_LAST, PIR_ON_CPU, misread

RULE = Rule(
    id="CL253",
    title="operator with channels last, oneDNN, PIR program",
    when=(replace(PIR_ON_CPU, operators=CHANNELS_LAST),),
    action=Action.DISABLE_ONEDNN,
    explanation=(
        "oneDNN keeps channels first and turns its values back where they leave it, but what it "
        "runs next, such as a reshape, a concat or a softmax, takes their axes as they lie: other "
        "numbers, other shapes or an error. Without the placement pass shapes stay wrong."
    ),
    without="wrong",
    evidence=(
        Evidence("measured", "conv2d NHWC and reshape, flatten, layer_norm, softmax: wrong, 3.x"),
        Evidence("measured", "and transpose, matmul, pad, concat: an error on 3.0.0 to 3.3.1"),
        Evidence("measured", "pool2d, batch_norm, group_norm, conv2d_transpose alike"),
        Evidence("measured", "interpolate and pad by themselves: an error on 3.3.1"),
    ),
    alone=(Alone(512, sees=misread),),
)
