"""CL266: constants that are computed at every run, oneDNN, PIR program."""

from __future__ import annotations

from compatload.faults.model import Action, Evidence, Rule
from compatload.faults.onednn import PIR_ON_CPU

#: A plan follows it where the pass that folds constants is left out.
RULE = Rule(
    id="CL266",
    title="constants that are computed at every run, oneDNN, PIR program",
    when=(PIR_ON_CPU,),
    action=Action.DISABLE_ONEDNN,
    explanation=(
        "oneDNN's convolutions keep where the bias and the filter lie that they got first. Without "
        "the pass that folds constants, which another rule leaves out, both are computed at every "
        "run, lie elsewhere, and the second run or a later one reads what is no longer there. "
        "Such a program runs without oneDNN as a whole."
    ),
    without="wrong",
    evidence=(
        Evidence(
            "measured",
            "a convolution and nn.RNN(GRUCell), constant_folding_pass deleted: 0.29 from the third "
            "run on, 3.3.1; relu(conv(x)) alone: 1e16 from the second; without oneDNN, right",
        ),
        Evidence("measured", "33 of 264 networks with that pass deleted: matrix.remedies, 3.3.1"),
    ),
)
