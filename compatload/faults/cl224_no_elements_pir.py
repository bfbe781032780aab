"""CL224: tensor without elements, oneDNN, PIR program."""

from __future__ import annotations

from dataclasses import replace

from compatload.faults.model import Action, Alone, Condition, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import PIR_ON_CPU, PLACEMENT_PASS, PRODUCTS, is_empty

# Of oneDNN's operators those for PIR that were seen to refuse a tensor without elements, and the
# likes of them. Sums, activations, casts and concat take it.
_REFUSING = PRODUCTS | {
    *("bmm", "layer_norm", "pool2d", "reshape", "scale", "slice", "softmax", "split"),
    *("split_with_num", "squeeze", "transpose", "unsqueeze", "strided_slice", "mean", "sum"),
    *("max", "min", "conv2d", "bilinear_interp", "nearest_interp", "pad3d", "batch_norm"),
    "log_softmax",
}


def _without_elements(names: frozenset[str]) -> Condition:
    return replace(PIR_ON_CPU, operators=(OperatorPattern(names, where=is_empty),))


RULE = Rule(
    id="CL224",
    title="tensor without elements, oneDNN, PIR program",
    when=(_without_elements(_REFUSING),),
    action=Action.DELETE_PASSES,
    explanation=(
        "oneDNN describes no memory of zero elements: most of its operators end in "
        "`std::exception`, and pooling destroys the stack. Without the placement pass they "
        "run elsewhere."
    ),
    without="crash",
    evidence=(
        Evidence("measured", "x[:, 0:0], saved by 3.3.1: an error on 3.0.0, 3.2.2 and 3.3.1"),
        Evidence("measured", "max_pool2d of full([2, 0, 6, 5]), 3.3.1: SIGABRT"),
        Evidence("measured", "PaddleClas SVTR_tiny, whose position table has an empty part"),
    ),
    parameters=PLACEMENT_PASS,
    alone=(
        Alone(432, "crash", _without_elements(frozenset({"pool2d"}))),
        Alone(433, "error"),
    ),
)
