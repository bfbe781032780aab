"""CL221: attention fused for AVX-512 on a CPU without it, oneDNN, 2.6."""

from __future__ import annotations

from dataclasses import replace

from compatload.artifact.model import Operator
from compatload.faults.graph import FIRST, SECOND, Graph, bare_name, operand
from compatload.faults.model import Action, Alone, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import LEGACY_ON_CPU, PRODUCTS, without_avx512

_SOFTMAX = frozenset({"softmax"})
_ATTENTION_AXES = 5


def _by_slices(graph: Graph, release: str) -> tuple[Operator, ...]:
    """Attention whose queries, keys and values are slices of one turned tensor of five axes."""
    return tuple(one for one in graph.named(_SOFTMAX) if _is_sliced_attention(one, graph))


def _is_sliced_attention(softmax: Operator, graph: Graph) -> bool:
    scores = _before_scale(operand(softmax, FIRST), graph)
    after = graph.sole_user(softmax)
    if after is not None and bare_name(after) == "dropout":
        after = graph.sole_user(after, "Out")
    if scores is None or after is None or not {bare_name(scores), bare_name(after)} <= PRODUCTS:
        return False
    turned = graph.sole_user(after)
    keys = graph.producer(operand(scores, SECOND))
    if turned is None or keys is None:
        return False
    if (bare_name(turned), bare_name(keys)) != ("transpose2", "transpose2"):
        return False
    slices = (
        _before_scale(operand(scores, FIRST), graph),
        graph.producer(operand(keys, FIRST)),
        graph.producer(operand(after, SECOND)),
    )
    sources = {operand(one, FIRST) if one and bare_name(one) == "slice" else None for one in slices}
    (source,) = sources if len(sources) == 1 else (None,)
    maker = graph.producer(source)
    return (
        maker is not None
        and bare_name(maker) == "transpose2"
        and len(graph.shape(source) or ()) == _ATTENTION_AXES
    )


def _before_scale(value: str | None, graph: Graph) -> Operator | None:
    """What makes a value, if need be before it is scaled."""
    maker = graph.producer(value)
    return graph.producer(operand(maker, FIRST)) if maker and bare_name(maker) == "scale" else maker


RULE = Rule(
    id="CL221",
    title="attention fused for AVX-512 on a CPU without it, oneDNN, 2.6",
    when=(
        replace(
            without_avx512(LEGACY_ON_CPU),
            paddle="<3.0",
            operators=(
                OperatorPattern(
                    _SOFTMAX,
                    feeds=PRODUCTS,
                    through=frozenset({"assign", "cast", "dropout", "scale"}),
                ),
            ),
        ),
    ),
    action=Action.DELETE_PASSES,
    explanation=(
        "The pass that fuses attention executes AVX-512 instructions as soon as it finds a "
        "layout it knows, whatever the CPU has: SIGILL while the predictor is created. The "
        "operators run one by one without it. No CPU of Hygon or Zhaoxin has AVX-512."
    ),
    without="crash",
    evidence=(
        Evidence(
            "measured",
            "PP-OCRv4 recognition, 2.6.2, AMD EPYC without AVX-512 (2026-11-21); on one with "
            "AVX-512 it loads",
        ),
        Evidence(
            "measured",
            "the same on an emulated Hygon Dhyana: Paddle's own call does not come back (how "
            "qemu-user shows a SIGILL there), with the rule it runs",
        ),
        Evidence(
            "measured",
            "attention_by_slices, 2.6.2: SIGILL on an emulated Hygon Dhyana with a kernel of its "
            "own; right on a Sandy Bridge: without AVX2 a predictor of 2.6 has no oneDNN",
        ),
    ),
    parameters=("self_attention_fuse_pass",),
    after="CL215",
    alone=(Alone(411, sees=_by_slices),),
)
