"""CL226: padding with channels last, oneDNN, PIR program."""

from __future__ import annotations

from dataclasses import replace

from compatload.artifact.model import Operator
from compatload.faults.graph import FIRST, Graph, bare_name, operand
from compatload.faults.model import Action, Alone, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import PIR_ON_CPU, PLACEMENT_PASS

_PAD = frozenset({"pad3d"})


def _squeezed(graph: Graph, release: str) -> tuple[Operator, ...]:
    """Padding by zeros of images with channels last, which go without their first axis after it."""
    return tuple(
        one
        for one in graph.named(_PAD)
        if one.attributes.get("data_format") == "NDHWC"
        and one.attributes.get("mode", "constant") == "constant"
        and graph.dtype(operand(one, FIRST)) == "float32"
        and any(bare_name(user) == "squeeze" for user in graph.users_of(one))
    )


RULE = Rule(
    id="CL226",
    title="padding with channels last, oneDNN, PIR program",
    when=(
        replace(
            PIR_ON_CPU,
            operators=(OperatorPattern(_PAD, (("data_format", "NDHWC"),)),),
        ),
    ),
    action=Action.DELETE_PASSES,
    explanation=(
        "oneDNN pads the last dimensions, whatever the layout says. What follows ends in "
        "`std::exception` or has another shape. Images are padded so, between an unsqueeze "
        "and a squeeze; legacy programs are right."
    ),
    without="wrong",
    evidence=(
        Evidence(
            "measured",
            "pad(x, [1, 1, 2, 0], data_format='NHWC') and 'NLC', saved by 3.0.0 and 3.3.1: an "
            "error on 3.0.0, 3.2.2 and 3.3.1; between two relu: (2, 6, 7, 4) for (2, 8, 7, 2)",
        ),
        Evidence("measured", "sin(Pad3D(1, data_format='NDHWC')(x)) * 2: another shape, 3.1.1"),
    ),
    parameters=PLACEMENT_PASS,
    alone=(Alone(438, "error", sees=_squeezed),),
)
