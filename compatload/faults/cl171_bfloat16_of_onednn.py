"""CL171: bfloat16 that only oneDNN computes, on a CPU that it does not compute it on."""

from __future__ import annotations

from dataclasses import replace

from compatload.artifact.model import Operator
from compatload.faults.graph import Graph
from compatload.faults.model import (
    LAYER,
    PREDICTOR,
    PROGRAM,
    Action,
    Alone,
    Cause,
    Condition,
    Evidence,
    OperatorPattern,
    Rule,
)
from compatload.faults.onednn import without_avx512

# Tried one by one, 40 operators, as layers of 3.3.1: PIR and legacy names. Paddle has no kernel of
# its own for these in bfloat16, and takes oneDNN's, whether that can compute it or not.
_OF_ONEDNN = frozenset(
    {
        *("abs", "add", "clip", "divide", "elementwise_add", "elementwise_div", "elu", "exp"),
        *("gelu", "hard_swish", "hardswish", "layer_norm", "leaky_relu", "log_softmax", "matmul"),
        *("matmul_v2", "max", "mean", "min", "mish", "mul", "pool2d", "prelu", "reduce_max"),
        *("reduce_mean", "reduce_min", "relu", "relu6", "sigmoid", "softmax", "softplus", "sqrt"),
        *("swish", "tanh"),
    }
)
# What layers of 2.6 have no kernel for, with or without AVX-512, in addition (CL181 has those of
# 3.x).
_CONVOLUTIONS = frozenset({"conv2d", "conv2d_transpose", "depthwise_conv2d"})


def _is_bfloat16(operator: Operator, graph: Graph) -> bool:
    return any(
        graph.dtype(name) == "bfloat16" for names in operator.inputs.values() for name in names
    )


_CPU = Condition(devices=frozenset({"cpu"}))
_IN_3 = (OperatorPattern(_OF_ONEDNN, where=_is_bfloat16),)
_IN_2_6 = (OperatorPattern(_OF_ONEDNN | _CONVOLUTIONS, where=_is_bfloat16),)

_LAYER_OF_3 = without_avx512(replace(_CPU, paddle=">=3.0", apis=LAYER | PROGRAM, operators=_IN_3))
_PREDICTOR = without_avx512(replace(_CPU, paddle=">=3.0", apis=PREDICTOR, operators=_IN_3))
_PREDICTOR_OF_2_6 = without_avx512(replace(_CPU, paddle="<3.0", apis=PREDICTOR, operators=_IN_2_6))
_LAYER_OF_2_6 = replace(_CPU, paddle="<3.0", apis=LAYER | PROGRAM, operators=_IN_2_6)

RULE = Rule(
    id="CL171",
    title="bfloat16 that only oneDNN computes, on a CPU without AVX-512",
    when=(_LAYER_OF_3, _PREDICTOR, _LAYER_OF_2_6, _PREDICTOR_OF_2_6),
    action=Action.REWRITE,
    explanation=(
        "A model of automatic mixed precision computes in bfloat16. On a CPU Paddle has few such "
        "kernels of its own and takes oneDNN's, which need AVX-512: on other CPUs (all of Hygon "
        "and Zhaoxin, AMD before Zen 4, most desktops) a layer of 3.x ends the process "
        "(`terminate called … std::exception`), a predictor ends in `could not create a primitive "
        "descriptor`. Layers of 2.6 do not look at oneDNN's and find none. These operators "
        "compute in float32, and give bfloat16."
    ),
    without="crash",
    evidence=(
        Evidence("measured", "29 of 48 operators saved by 3.3.1 abort as layers of 3.3.1, EPYC"),
        Evidence("measured", "33 of them are errors of its predictors; legacy files the same"),
        Evidence("measured", "`no kernels which are registered in the matmul_v2`: layers, 2.6.2"),
    ),
    module="compatload.programs.rewritings.single_precision",
    cause=Cause.KERNELS,
    alone=(
        Alone(693, "crash", when=_LAYER_OF_3),
        Alone(694, "error", when=_PREDICTOR),
        Alone(696, "error", when=_PREDICTOR_OF_2_6),
        Alone(695, "error", when=_LAYER_OF_2_6),
    ),
)
