"""CL259: NaN that oneDNN makes a number of, legacy program."""

from __future__ import annotations

from dataclasses import replace

from compatload.artifact.model import Operator
from compatload.faults.graph import FIRST, Graph, operand
from compatload.faults.model import Action, Alone, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import LEGACY_ON_CPU
from compatload.faults.undefined import undefined

# Tried one by one, 63 operators and 15 on images, with NaN in a few places (PIR and legacy names).
LOSING = frozenset({"clip", "exp", "log_softmax", "relu6", "softmax"})
_POOLS = frozenset({"pool2d"})


def may_lose(operator: Operator, graph: Graph) -> bool:
    """Whether it is of float32, and may be given NaN."""
    return graph.dtype(operand(operator, FIRST)) == "float32" and id(operator) in undefined(graph)


def takes_the_largest(operator: Operator, graph: Graph) -> bool:
    return operator.attributes.get("pooling_type") == "max" and may_lose(operator, graph)


def losing(names: frozenset[str]) -> tuple[OperatorPattern, ...]:
    return (
        OperatorPattern(names, where=may_lose),
        OperatorPattern(_POOLS, where=takes_the_largest),
    )


RULE = Rule(
    id="CL259",
    title="NaN that oneDNN makes a number of, legacy program",
    when=(replace(LEGACY_ON_CPU, operators=losing(LOSING)),),
    action=Action.REWRITE,
    explanation=(
        "exp, clip, relu6, softmax, log_softmax and largest values of a window give a number of "
        "NaN in oneDNN, where Paddle's own kernels leave NaN: what the model makes of nothing (0 / "
        "0 of an empty mask, the root of something below zero) becomes 1, or a row that looks "
        "sound. Where the program may make NaN before them by itself, they compute in float64, "
        "which oneDNN leaves to Paddle; all else stays in oneDNN. Of an input that holds NaN "
        "nothing is known before."
    ),
    without="wrong",
    evidence=(
        Evidence("measured", "63 operators behind y / y with zeros: 5 on 2.6.2, 3.0.0 and 3.3.1"),
        Evidence("measured", "max_pool2d, conv2d and relu6: the same; in float64 all are right"),
    ),
    module="compatload.programs.rewritings.double_precision",
    alone=(Alone(664, by_data=True),),
)
