"""CL255: clip whose bounds are tensors, oneDNN, legacy program."""

from __future__ import annotations

from dataclasses import replace

from compatload.artifact.model import Operator
from compatload.faults.graph import Graph
from compatload.faults.model import Action, Alone, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import LEGACY_ON_CPU

_CLIP = frozenset({"clip"})
# A number in PIR, which becomes an attribute again in a legacy program.
_NUMBER = "pd_op.full"


def _is_bounded_by_tensors(operator: Operator, graph: Graph) -> bool:
    inputs = operator.inputs
    if inputs.get("Min") or inputs.get("Max"):
        return True
    makers = (graph.producer(value) for slot in ("1", "2") for value in inputs.get(slot, ()))
    return any(maker is None or maker.name != _NUMBER for maker in makers)


RULE = Rule(
    id="CL255",
    title="clip whose bounds are tensors, oneDNN, legacy program",
    when=(
        replace(LEGACY_ON_CPU, operators=(OperatorPattern(_CLIP, where=_is_bounded_by_tensors),)),
    ),
    action=Action.DISABLE_ONEDNN,
    explanation=(
        "Behind a layer, a convolution or an addition, clip becomes part of that, with the numbers "
        "of its attributes, which its tensors stand for: other bounds, without an error. Where an "
        "addition computes a bound, the pass takes clip for what follows the addition and follows "
        "a pointer that leads nowhere."
    ),
    without="wrong",
    evidence=(
        Evidence("measured", "30 networks saved by 2.6.2: 23 wrong or dead on 2.6.2 and on 3.3.1"),
        Evidence("measured", "saved by 3.3.1: the same on 2.6.2 where a bound is computed"),
    ),
    alone=(Alone(448),),
)
