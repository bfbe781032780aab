"""CL224: tensor without elements, oneDNN, PIR program."""

from __future__ import annotations

from dataclasses import replace

from compatload.faults.model import Action, Alone, Condition, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import (
    BINARY,
    FUSED_ACTIVATIONS,
    PIR_ON_CPU,
    PLACEMENT_PASS,
    PRODUCTS,
    is_empty,
    takes_nothing,
)

# Of oneDNN's operators those for PIR that were seen to refuse a tensor without elements, and the
# likes of them. Casts take it.
REFUSING = PRODUCTS | {
    *("bmm", "layer_norm", "pool2d", "reshape", "scale", "slice", "softmax", "split"),
    *("split_with_num", "squeeze", "transpose", "unsqueeze", "strided_slice", "mean", "sum"),
    *("max", "min", "conv2d", "bilinear_interp", "nearest_interp", "pad3d", "batch_norm"),
    *("log_softmax", "clip", "softplus", "stack", "add_n", "flatten"),
}
DYING = frozenset({"pool2d", "concat"})
# Those that take it from 3.1 on.
OF_3_0 = (FUSED_ACTIVATIONS | BINARY | {"elu", "exp", "prelu", "round"}) - REFUSING
# Halves are told from other numbers by sums (CL126), which 3.1 and later die of.
_REPAIRED = frozenset({"round"})


def _without_elements(names: frozenset[str], paddle: str = ">=3.0") -> Condition:
    return replace(PIR_ON_CPU, paddle=paddle, operators=(OperatorPattern(names, where=is_empty),))


_TAKEN = replace(PIR_ON_CPU, operators=(OperatorPattern(REFUSING | DYING, where=takes_nothing),))
_TO_3_0 = _without_elements(OF_3_0, ">=3.0,<3.1")

RULE = Rule(
    id="CL224",
    title="tensor without elements, oneDNN, PIR program",
    when=(_without_elements(REFUSING | DYING | _REPAIRED), _TO_3_0, _TAKEN),
    action=Action.DELETE_PASSES,
    explanation=(
        "oneDNN describes no memory of zero elements: most of its operators end in "
        "`std::exception`, and pooling destroys the stack. Without the placement pass they "
        "run elsewhere. What may turn out empty is for CL630."
    ),
    without="crash",
    evidence=(
        Evidence("measured", "x[:, 0:0], saved by 3.3.1: an error on 3.0.0, 3.2.2 and 3.3.1"),
        Evidence("measured", "max_pool2d of full([2, 0, 6, 5]), 3.3.1: SIGABRT"),
        Evidence("measured", "concat of parts that are all empty, 3.0.0 to 3.3.1: SIGSEGV"),
        Evidence(
            "measured", "relu, x - x, prelu of (3, 4, 0): 3.0.0 refuses, 3.1.1 and 3.3.1 do not"
        ),
        Evidence("measured", "matmul(e, e, transpose_y=True) of e = x[:, 0:0]: any numbers, 3.3.1"),
        Evidence("measured", "clip, softplus, stack of the same: an error on each of them"),
        Evidence("measured", "concat([y, sin(y)]) of y = x[mask], nothing in it: SIGSEGV, 3.3.1"),
        Evidence("measured", "PaddleClas SVTR_tiny, whose position table has an empty part"),
    ),
    parameters=PLACEMENT_PASS,
    alone=(
        Alone(432, "crash", _without_elements(DYING)),
        Alone(433, "error", _without_elements(REFUSING)),
        Alone(418, "error", _TO_3_0),
    ),
)
