"""CL181: a convolution in bfloat16, whose kernel of oneDNN gives float32."""

from __future__ import annotations

from dataclasses import replace

from compatload.artifact.model import Operator
from compatload.faults.graph import Graph, bare_name, takes_bfloat16
from compatload.faults.model import (
    LAYER,
    LEGACY,
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
    Where,
)
from compatload.faults.onednn import (
    ACTIVATED_CONVOLUTIONS,
    ADDITIONS,
    CONVOLUTIONS,
    CONVOLUTIONS_ACTIVATIONS,
    RESHAPES,
)

_WITHOUT_KERNEL = CONVOLUTIONS - ACTIVATED_CONVOLUTIONS
# What reads the numbers by the type that they were given, not by the one that the program tells.
_BY_TYPE_GIVEN = frozenset({"cast", "flatten", "flatten_contiguous_range", "reduce_sum", "sum"})


def _read_otherwise(operator: Operator, graph: Graph) -> bool:
    """Whether a layer of 3.x ends in an error: its next kernel is told bfloat16."""
    return takes_bfloat16(operator, graph) and any(
        bare_name(user) not in _BY_TYPE_GIVEN | RESHAPES for user in graph.users_of(operator)
    )


def _squeezed(operator: Operator, graph: Graph) -> bool:
    """A view of it is read as bfloat16, which is half of each number."""
    return takes_bfloat16(operator, graph) and any(
        bare_name(user) in ("squeeze", "squeeze2") for user in graph.users_of(operator)
    )


def _read_by_predictor(operator: Operator, graph: Graph) -> bool:
    """Not behind a cast, alone or behind the activation that a pass takes into the convolution."""
    if not takes_bfloat16(operator, graph):
        return False
    users = list(graph.users_of(operator))
    if len(users) == 1 and bare_name(users[0]) in CONVOLUTIONS_ACTIVATIONS:
        users = list(graph.users_of(users[0]))
    return any(bare_name(user) != "cast" for user in users)


def _read_by_legacy_predictor(operator: Operator, graph: Graph) -> bool:
    return takes_bfloat16(operator, graph) and any(
        bare_name(user) in CONVOLUTIONS | ADDITIONS for user in graph.users_of(operator)
    )


_ANY = (OperatorPattern(CONVOLUTIONS, where=takes_bfloat16),)
_NONE_OF_ITS_OWN = OperatorPattern(_WITHOUT_KERNEL, where=takes_bfloat16)
_ON_X86 = Condition(
    paddle=">=3.0",
    devices=frozenset({"cpu"}),
    architectures=X86,
    cpu_has=frozenset({"avx2"}),
)
_LAYERS = replace(_ON_X86, apis=LAYER | PROGRAM)
_PREDICTORS = replace(_ON_X86, apis=PREDICTOR)
# 2.6 has none for what a program casts to bfloat16; its layers are CL171's.
_PREDICTORS_OF_2_6 = replace(
    _PREDICTORS, paddle="<3.0", cpu_has=frozenset({"avx512f"}), operators=_ANY
)


def _seen(condition: Condition, where: Where) -> Condition:
    pattern = OperatorPattern(ACTIVATED_CONVOLUTIONS, where=where)
    return replace(condition, operators=(pattern,))


RULE = Rule(
    id="CL181",
    title="a convolution in bfloat16 that gives float32",
    when=(replace(_ON_X86, operators=_ANY), _PREDICTORS_OF_2_6),
    action=Action.REWRITE,
    explanation=(
        "Paddle has no convolution of its own in bfloat16 on a CPU and takes oneDNN's. That gives "
        "float32 unless oneDNN's own pass for bfloat16 has marked it, whatever the program says: "
        "what follows ends in `The type of data we are trying to retrieve … does not match`, or "
        "reads the numbers in halves and gives nonsense. Transposed and three-dimensional ones "
        "have no kernel at all, and predictors of 2.6 none for any (`ConvOneDNNHandlerT … is not "
        "implemented`). With AVX-512 and without. They compute in float32, and give bfloat16."
    ),
    without="error",
    evidence=(
        Evidence(
            "measured",
            "6 convolutions with 11 followers, saved by 3.0.0 and 3.3.1, each on its own release: "
            "45 of 58 layers and predictors are an error or off by 1e37, EPYC with AVX-512 and "
            "the same with ONEDNN_MAX_CPU_ISA=AVX2 (2026-11-30)",
        ),
        Evidence(
            "measured",
            "legacy files of 2.6.2 in a predictor of 3.3.1: a convolution or an addition behind "
            "it, transposed and 3-D ones",
        ),
    ),
    module="compatload.programs.rewritings.single_precision",
    cause=Cause.KERNELS,
    alone=(
        Alone(756, "error", when=_PREDICTORS_OF_2_6),
        Alone(749, "error", when=replace(_LAYERS, operators=(_NONE_OF_ITS_OWN,))),
        Alone(750, "error", when=replace(_PREDICTORS, operators=(_NONE_OF_ITS_OWN,))),
        Alone(751, "error", when=_seen(replace(_PREDICTORS, runs_as=PIR), _read_by_predictor)),
        Alone(
            752,
            "error",
            when=_seen(replace(_PREDICTORS, runs_as=LEGACY), _read_by_legacy_predictor),
        ),
        Alone(753, "wrong", when=_seen(_LAYERS, _squeezed)),
        Alone(754, "error", when=_seen(_LAYERS, _read_otherwise)),
    ),
)
