"""CL620: a convolution with channels last and a normalisation, legacy program."""

from __future__ import annotations

from dataclasses import replace

from compatload.artifact.model import Operator
from compatload.faults.graph import Graph, bare_name
from compatload.faults.model import Action, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import (
    CONVOLUTIONS,
    LEGACY_ON_CPU,
    NORMALISATION,
    is_channels_last,
)


def _is_normalised(operator: Operator, graph: Graph) -> bool:
    user = graph.sole_user(operator)
    return (
        user is not None and bare_name(user) in NORMALISATION and is_channels_last(operator, graph)
    )


RULE = Rule(
    id="CL620",
    title="a convolution with channels last and a normalisation, legacy program",
    when=(
        replace(LEGACY_ON_CPU, operators=(OperatorPattern(CONVOLUTIONS, where=_is_normalised),)),
    ),
    action=Action.DELETE_PASSES,
    explanation=(
        "Where oneDNN is off (CL211), Paddle's pass puts the normalisation into the convolution's "
        "weights, and an addition behind it that takes the second axis for the channels, whatever "
        "the data format says: `Broadcast dimension mismatch`, or, in pictures as high as there "
        "are channels, other numbers without an error. The pass is left out."
    ),
    without="error",
    evidence=(
        Evidence(
            "measured",
            "batch_norm(conv2d(x)), NHWC and NLC, no bias, saved by 2.6.2: an error on 2.6.2, "
            "3.0.0 and 3.3.1",
        ),
        Evidence("measured", "the same with a bias: right"),
    ),
    parameters=("conv_bn_fuse_pass", "conv_transpose_bn_fuse_pass"),
)
