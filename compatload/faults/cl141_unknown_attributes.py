"""CL141: attributes of 3.x in a legacy program, which no operators of 2.6 make up for."""

from __future__ import annotations

from collections.abc import Mapping

from compatload.artifact.model import Operator
from compatload.faults.graph import Graph, bare_name
from compatload.faults.model import (
    LEGACY,
    Action,
    Alone,
    Condition,
    Evidence,
    OperatorPattern,
    Rule,
)

# By operator: what 3.x knows and 2.6 does not, with what changes nothing.
UNKNOWN: Mapping[str, Mapping[str, object]] = {
    "block_multihead_attention": {"rope_theta": 10000.0},
    "cumprod": {"exclusive": False, "reverse": False},
    "fused_rotary_position_embedding": {"rotary_emb_base": 10000.0, "time_major": False},
    "histogram": {"density": False},
    "max_pool2d_with_index": {"ceil_mode": False},
    "max_pool3d_with_index": {"ceil_mode": False},
    "nanmedian": {"mode": "avg"},
    "top_p_sampling": {"k": 0, "mode": "truncate"},
    "truncated_gaussian_random": {"a": -2.0, "b": 2.0},
    "weight_dequantize": {"group_size": -1},
    "weight_only_linear": {"group_size": -1},
    "weight_quantize": {"group_size": -1},
}
_ENDS = ("min", "max")  # of a histogram, whole numbers in 2.6


def _says_more(operator: Operator, graph: Graph) -> bool:
    told = UNKNOWN[bare_name(operator)]
    return any(operator.attributes.get(name, usual) != usual for name, usual in told.items())


def _is_of_fractions(operator: Operator, graph: Graph) -> bool:
    ends = (operator.attributes.get(name, 0) for name in _ENDS)
    broken = any(isinstance(end, float) and end != int(end) for end in ends)
    return broken or bool(operator.inputs.get("Weight")) or _says_more(operator, graph)


_OTHERWISE = {"histogram": _is_of_fractions}

RULE = Rule(
    id="CL141",
    title="attributes of 3.x in a legacy program, which no operators of 2.6 make up for",
    when=(
        Condition(
            paddle="<3.0",
            formats=LEGACY,
            operators=(
                OperatorPattern(frozenset(UNKNOWN) - _OTHERWISE.keys(), where=_says_more),
                *(OperatorPattern(frozenset({n}), where=one) for n, one in _OTHERWISE.items()),
            ),
        ),
    ),
    action=Action.REFUSE,
    explanation=(
        "As CL140, where 2.6 has nothing that computes the same: max_pool2d with ceil_mode and a "
        "mask, histogram of weights, quantised weights in groups. 2.6 computes as if the attribute "
        "were not there, in silence."
    ),
    without="wrong",
    evidence=(
        Evidence("measured", "operators whose attributes 2.6.2 lacks, in the registries of 3.x"),
        Evidence("measured", "max_pool2d, weight_quantize of 3.0.0 as legacy: 2.6.2"),
    ),
    advice="Load it with paddlepaddle>=3.0.",
    alone=(Alone(559),),
)
