"""CL625: gradients that a program computes itself, oneDNN."""

from __future__ import annotations

from dataclasses import replace

from compatload.artifact.model import Operator
from compatload.faults.graph import Graph, operand
from compatload.faults.model import Action, Alone, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import LEGACY_ON_CPU, PIR_ON_CPU

# What was seen to go wrong, with some sizes, by its names in PIR and in legacy programs.
_WRONG = frozenset(
    {
        *("add_grad", "batch_norm_grad", "conv2d_grad", "depthwise_conv2d_grad", "divide_grad"),
        *("elementwise_add_grad", "elementwise_div_grad", "elementwise_mul_grad"),
        *("elementwise_sub_grad", "multiply_grad", "subtract_grad"),
    }
)
# All that oneDNN has.
_GRADIENTS = _WRONG | frozenset(
    {
        *("abs_grad", "clip_grad", "concat_grad", "conv3d_grad", "elu_grad", "exp_grad"),
        *("expand_grad", "expand_v2_grad", "flatten2_grad", "flatten_grad"),
        *("flatten_contiguous_range_grad", "gelu_grad", "hard_swish_grad", "hardswish_grad"),
        *("layer_norm_grad", "leaky_relu_grad", "lrn_grad", "matmul_grad", "matmul_v2_grad"),
        *("mean_grad", "mish_grad", "mul_grad", "pool2d_grad", "prelu_grad"),
        *("reduce_mean_grad", "reduce_sum_grad", "relu6_grad", "relu_grad", "reshape2_grad"),
        *("reshape_grad", "sigmoid_grad", "slice_grad", "softmax_grad", "sqrt_grad"),
        *("squeeze2_grad", "squeeze_grad", "sum_grad", "swish_grad"),
        *("tanh_grad", "transpose2_grad", "transpose_grad"),
    }
)
_PATTERNS = (OperatorPattern(_GRADIENTS),)
_SEEN = (OperatorPattern(_WRONG),)


def _is_of_wider_sum(operator: Operator, graph: Graph) -> bool:
    """Whether it gives on the type that was added in, whatever the program says of it: oneDNN has
    no activation of that."""
    given, summed = (graph.dtype(operand(operator, (slot,))) for slot in ("Out@GRAD", "X"))
    return given == "float64" and summed == "float32"


_WIDER = (OperatorPattern(frozenset({"reduce_sum_grad"}), where=_is_of_wider_sum),)

RULE = Rule(
    id="CL625",
    title="gradients that a program computes itself, oneDNN",
    when=(
        replace(LEGACY_ON_CPU, operators=_PATTERNS),
        replace(PIR_ON_CPU, operators=_PATTERNS),
    ),
    action=Action.DISABLE_ONEDNN,
    explanation=(
        "A layer that calls `paddle.grad` in its forward (forces of an energy, equations of "
        "physics, explanations) is saved with operators for gradients. oneDNN's of a sum, a "
        "difference, a product or a quotient are wrong without a word, up to the sign, or fail "
        "with a batch of one: `could not create a primitive descriptor for a reduction`; those of "
        "a convolution and a batch_norm want a program that trains, `is_test attribute should be "
        "set to False`."
    ),
    without="wrong",
    evidence=(
        Evidence("measured", "10 of 12 layers, saved and loaded by 2.6.2: an error, or wrong by 8"),
        Evidence("measured", "the same from 2.6.2 to 3.3.1, on 3.0.0 and on 3.3.1"),
        Evidence("measured", "convolutions, pooling, batch_norm; 12 of 22 layers, all releases"),
        Evidence("measured", "PARL's optimistic actor-critic, 2.6.2 and 3.3.1: wrong by 2"),
    ),
    alone=(
        Alone(473, when=replace(LEGACY_ON_CPU, operators=_SEEN), by_data=True),
        Alone(761, "error", when=replace(LEGACY_ON_CPU, operators=_WIDER)),
        Alone(474, when=replace(PIR_ON_CPU, operators=_SEEN), by_data=True),
    ),
)
