"""CL110: outputs that a program lacks and 3.x looks for."""

from __future__ import annotations

from compatload.artifact.model import Operator
from compatload.faults.graph import Graph
from compatload.faults.model import LEGACY, PREDICTOR, Action, Alone, Condition, Evidence, Rule
from compatload.plan import Api

_APPENDING = frozenset({Api.LAYER, Api.PROGRAM})


def _without_shape(graph: Graph, release: str) -> tuple[Operator, ...]:
    found = graph.named(frozenset({"flatten2"}))
    return tuple(one for one in found if not one.outputs.get("XShape"))


def _without_gate(graph: Graph, release: str) -> tuple[Operator, ...]:
    found = graph.named(frozenset({"gru"}))
    return tuple(
        one
        for one in found
        if not one.outputs.get("BatchGate") and not one.attributes.get("is_test", False)
    )


def _without_reserve(graph: Graph, release: str) -> tuple[Operator, ...]:
    found = graph.named(frozenset({"batch_norm"}))
    return tuple(
        one
        for one in found
        if one.attributes.get("trainable_statistics", False)
        and not one.attributes.get("use_global_stats", False)
        and not one.outputs.get("ReserveSpace")
    )


RULE = Rule(
    id="CL110",
    title="outputs that a program lacks and 3.x looks for",
    action=Action.REPAIR,
    explanation=(
        "Clean-up tools and 2.x itself drop outputs that inference does not need (XShape, the "
        "Mask of dropout …). 3.x looks them up when it appends a backward program. They are "
        "declared again; nobody reads them."
    ),
    without="crash",
    evidence=(
        Evidence("measured", "flatten, reshape2, transpose2, squeeze2 without XShape, all 3.x"),
        Evidence("measured", "dropout without Mask, trained on 3.3.1: SIGSEGV"),
        Evidence("measured", "instance_norm of 2.6.2, trained on 3.0.0 and 3.3.1: SIGSEGV"),
        Evidence("measured", "rrelu of 2.6.2 without Noise, trained on 3.0.0 and 3.3.1: SIGSEGV"),
        Evidence("measured", "batch_norm by the statistics of the batch, layer of 2.6.2: an error"),
        Evidence("measured", "gru without BatchGate, layer and program of 2.6.2: an error"),
        Evidence("measured", "the same, predictor of 3.3.1, oneDNN on and off: SIGSEGV"),
    ),
    module="compatload.programs.legacy_repairs.missing_outputs",
    alone=(
        Alone(
            360, when=Condition(paddle=">=3.0", apis=PREDICTOR, formats=LEGACY), sees=_without_shape
        ),
        Alone(
            363,
            "error",
            when=Condition(paddle="<3.0", apis=_APPENDING, formats=LEGACY),
            sees=_without_gate,
        ),
        Alone(
            719,
            "error",
            when=Condition(paddle="<3.0", apis=_APPENDING, formats=LEGACY),
            sees=_without_reserve,
        ),
        Alone(
            364, when=Condition(paddle=">=3.0", apis=PREDICTOR, formats=LEGACY), sees=_without_gate
        ),
    ),
)
