"""CL289: more axes than oneDNN has an order for."""

from __future__ import annotations

from dataclasses import replace

from compatload.artifact.model import Operator
from compatload.faults.graph import FIRST, Graph, bare_name, operand
from compatload.faults.model import Action, Alone, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import (
    BINARY,
    FUSED_ACTIVATIONS,
    IN_ONEDNN,
    LEGACY_ON_CPU,
    PIR_ON_CPU,
    PRODUCTS,
    TRANSPOSITIONS,
)

_MOST = 6
_MOVED = frozenset({"flatten", "flatten_contiguous_range", "reshape", "reshape2"})
_MOVED_OTHERWISE = frozenset(
    {
        *(
            "broadcast_to",
            "expand",
            "expand_as",
            "expand_as_v2",
            "expand_v2",
            "gather",
            "gather_nd",
        ),
        *("squeeze", "squeeze2", "tile", "unsqueeze", "unsqueeze2", "where"),
    }
)
# What oneDNN may run, by its names in PIR and in legacy programs.
_COMPUTED = (
    BINARY
    | FUSED_ACTIVATIONS
    | PRODUCTS
    | {
        *("cast", "concat", "elu", "exp", "log_softmax", "max", "mean", "min", "prelu", "round"),
        *("reduce_max", "reduce_mean", "reduce_min", "reduce_sum", "scale", "slice", "softmax"),
        *("softplus", "split", "split_with_num", "stack", "sum", "transpose", "transpose2"),
    }
)


def _has_too_many(operator: Operator, graph: Graph) -> bool:
    """Whether what it reads first or yields has more, of a type that oneDNN has."""
    results = [value for slot, vs in operator.outputs.items() if slot != "XShape" for value in vs]
    first = operand(operator, FIRST)
    values = results if first is None else [first, *results]
    return any(
        len(graph.shape(value) or ()) > _MOST and graph.dtype(value) in IN_ONEDNN
        for value in values
    )


def _leaves_too_many(operator: Operator, graph: Graph) -> bool:
    """The same in PIR programs, where oneDNN reshapes and transposes them as long as nothing else
    reads them."""
    if bare_name(operator) not in TRANSPOSITIONS | _MOVED:
        return _has_too_many(operator, graph)
    results = (value for values in operator.outputs.values() for value in values)
    return _has_too_many(operator, graph) and any(
        bare_name(user) not in TRANSPOSITIONS | _MOVED
        for value in results
        if len(graph.shape(value) or ()) > _MOST
        for user in graph.users.get(value, ())
    )


def _failing_in_pir(graph: Graph, release: str) -> tuple[Operator, ...]:
    return tuple(one for one in graph.named(_COMPUTED) if _leaves_too_many(one, graph))


def _failing(graph: Graph, release: str) -> tuple[Operator, ...]:
    """What oneDNN runs; a reshape alone, of what oneDNN has not computed, stays outside of it."""
    return tuple(one for one in graph.named(_COMPUTED) if _has_too_many(one, graph))


def _failing_reshapes(graph: Graph, release: str) -> tuple[Operator, ...]:
    """In legacy programs oneDNN reshapes what a layer has computed."""
    return tuple(
        one
        for one in graph.named(_MOVED)
        if _has_too_many(one, graph)
        and (maker := graph.producer(operand(one, FIRST))) is not None
        and bare_name(maker) in _COMPUTED
    )


_ANY = _COMPUTED | _MOVED | _MOVED_OTHERWISE

RULE = Rule(
    id="CL289",
    title="more axes than oneDNN has an order for",
    when=(
        replace(LEGACY_ON_CPU, operators=(OperatorPattern(_ANY, where=_has_too_many),)),
        replace(PIR_ON_CPU, operators=(OperatorPattern(_ANY, where=_leaves_too_many),)),
    ),
    action=Action.DISABLE_ONEDNN,
    explanation=(
        "Paddle names an order to oneDNN for six axes at most, and computes with nine: windows of "
        "videos and volumes are cut out by a reshape to eight axes and a transpose. Wherever a "
        "value of oneDNN's gets there, brought into another order for an operator outside of it "
        "too, the predictor fails, so oneDNN is switched off. A transpose between two reshapes of "
        "a PIR program is right."
    ),
    without="error",
    evidence=(
        Evidence("measured", "20 operators on seven axes, behind a layer, 2.6.2: an error in 18"),
        Evidence("measured", "17 of them on 3.0.0 and 3.3.1, PIR: `std::exception`"),
        Evidence("measured", "six axes: right on 2.6.2, 3.0.0 and 3.3.1"),
    ),
    alone=(
        Alone(459, when=LEGACY_ON_CPU, sees=_failing),
        Alone(461, when=LEGACY_ON_CPU, sees=_failing_reshapes),
        Alone(463, when=PIR_ON_CPU, sees=_failing_in_pir),
    ),
)
