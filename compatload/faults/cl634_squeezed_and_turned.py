"""CL634: squeezed by axes that are not one, or by none, and turned, oneDNN."""

from __future__ import annotations

from dataclasses import replace

from compatload.artifact.model import Format, Operator
from compatload.faults.graph import FIRST, Graph, bare_name, operand
from compatload.faults.model import Action, Alone, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import LEGACY_ON_CPU, PIR_ON_CPU, TRANSPOSITIONS
from compatload.faults.sizes import numbers

_SQUEEZED = frozenset({"squeeze", "squeeze2"})


def _is_turned(operator: Operator, graph: Graph) -> bool:
    user = graph.sole_user(operator, "Out" if operator.outputs.get("Out") else None)
    return user is not None and bare_name(user) in TRANSPOSITIONS


def _is_odd(operator: Operator, graph: Graph) -> bool:
    """Whether an axis that is named is not one."""
    sizes = graph.shape(operand(operator, FIRST))
    axes = numbers(graph, operator, ("axes",))
    if sizes is None or not axes or not _is_turned(operator, graph):
        return False
    return any(sizes[axis] != 1 for axis in axes if -len(sizes) <= axis < len(sizes))


def _is_odd_in_legacy(operator: Operator, graph: Graph) -> bool:
    """Or none is named."""
    unnamed = not numbers(graph, operator, ("axes",)) and _is_turned(operator, graph)
    return unnamed or _is_odd(operator, graph)


def _computed_anew(graph: Graph, release: str) -> tuple[Operator, ...]:
    """What is there by itself: legacy programs, as Paddle saves them, lack what the pass looks
    for, and it leaves them."""
    squeezed = graph.named(_SQUEEZED)
    if graph.artifact.format is Format.PIR:
        return tuple(one for one in squeezed if _is_odd(one, graph))
    known = (one for one in squeezed if one.outputs.get("XShape"))
    return tuple(one for one in known if _is_odd_in_legacy(one, graph))


RULE = Rule(
    id="CL634",
    title="squeezed by axes that are not one, or by none, and turned, oneDNN",
    when=(
        replace(LEGACY_ON_CPU, operators=(OperatorPattern(_SQUEEZED, where=_is_odd_in_legacy),)),
        replace(PIR_ON_CPU, operators=(OperatorPattern(_SQUEEZED, where=_is_odd),)),
    ),
    action=Action.DELETE_PASSES,
    explanation=(
        "squeeze leaves an axis that is not one as it is, and without axes takes all that are one. "
        "The operator that a pass makes of it and the transpose behind it knows neither: `Squeeze2 "
        "input dim 1 should be equal to one`, `dimensions are invalid`. The pass finds squeezes "
        "that have an output XShape, which legacy programs lack as they are saved, and have again "
        "when they are repaired (CL110)."
    ),
    without="error",
    evidence=(
        Evidence("measured", "squeeze(x, 1) of [2, 3, 4], transpose: PIR 3.0.0 and 3.3.1"),
        Evidence("measured", "that, and squeeze(x) of [1, 3, 4]: legacy with XShape, 2.6.2, 3.3.1"),
    ),
    parameters=("squeeze2_transpose2_onednn_fuse_pass", "squeeze_transpose_onednn_fuse_pass"),
    alone=(Alone(714, "error", sees=_computed_anew),),
)
