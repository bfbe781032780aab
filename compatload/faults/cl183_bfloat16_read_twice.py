"""CL183: what oneDNN computes in bfloat16 in a layer, read twice and written over."""

from __future__ import annotations

from dataclasses import replace

from compatload.artifact.model import Format, Operator
from compatload.faults.graph import Graph, bare_name, takes_bfloat16
from compatload.faults.model import (
    LAYER,
    PIR,
    PREDICTOR,
    PROGRAM,
    X86,
    Action,
    Alone,
    Cause,
    Condition,
    Evidence,
    OperatorPattern,
    Rule,
)
from compatload.operators.halves import of_onednn

# A legacy program is translated to PIR.
_OF_ONEDNN = of_onednn(Format.PIR) | of_onednn(Format.LEGACY)
# Have a form that writes over its operand, and a kernel of Paddle's own in bfloat16.
_WRITING_OVER = frozenset(
    {"elementwise_mul", "elementwise_sub", "floor", "multiply", "scale", "subtract", "where"}
)


def _is_read_twice(operator: Operator, graph: Graph) -> bool:
    if not takes_bfloat16(operator, graph):
        return False
    readers = list(graph.users_of(operator))
    return len(readers) > 1 and any(bare_name(one) in _WRITING_OVER for one in readers)


_READ_TWICE = Condition(
    paddle=">=3.0",
    apis=LAYER | PROGRAM,
    devices=frozenset({"cpu"}),
    architectures=X86,
    cpu_has=frozenset({"avx512f"}),
    operators=(OperatorPattern(_OF_ONEDNN, where=_is_read_twice),),
)
# Such a predictor computes as a layer does.
_WITHOUT_ONEDNN = replace(_READ_TWICE, apis=PREDICTOR, runs_as=PIR, no_onednn=True)

RULE = Rule(
    id="CL183",
    title="what oneDNN computes in bfloat16 in a layer, read twice",
    when=(_READ_TWICE, _WITHOUT_ONEDNN),
    action=Action.REWRITE,
    explanation=(
        "A layer of 3.x takes oneDNN's kernels for bfloat16 where Paddle has none of its own, and "
        "gives each reader what it takes for a tensor of its own. They are one memory: `y * 2` "
        "or `-y` is computed in place, and the other reader gets it, in silence: "
        "`paddle.maximum(y, -y)` of a product gives its negative. So does a predictor of a PIR "
        "program from which oneDNN is kept. Such values are computed in float32."
    ),
    without="wrong",
    evidence=(
        Evidence(
            "measured",
            "matmul, relu and an addition in bfloat16, then concat([y, -y]), y + y * 2, "
            "maximum(y, -y): wrong in layers of 3.3.1, right with FLAGS_pir_apply_inplace_pass=0 "
            "and in predictors, EPYC with AVX-512 (2026-11-30)",
        ),
        Evidence("measured", "the same in predictors of PIR programs with disable_mkldnn()"),
    ),
    module="compatload.programs.rewritings.single_precision",
    cause=Cause.KERNELS,
    alone=(Alone(758, when=_READ_TWICE),),
)
