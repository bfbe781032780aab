"""CL609: slices that may begin before what they are taken of, oneDNN, legacy program."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace

from compatload.artifact.model import Operator
from compatload.faults.graph import FIRST, Graph, operand
from compatload.faults.model import Action, Alone, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import IN_ONEDNN, LEGACY_ON_CPU
from compatload.faults.sizes import numbers

_SLICES = frozenset({"slice"})
_STARTS_OF_A_RUN = ("StartsTensor", "StartsTensorList")


def _sizes_before(cut: Operator, graph: Graph) -> Iterator[tuple[int, int]]:
    """Places that it begins before the end, and the size there (-1: unknown), of each axis kept.

    Where it begins may be computed in a run: then it is as many places as there may be.
    """
    shape = graph.shape(operand(cut, FIRST)) or ()
    axes, dropped = (cut.attributes.get(name) or () for name in ("axes", "decrease_axis"))
    if not isinstance(axes, tuple) or not isinstance(dropped, tuple):
        return
    starts = () if operand(cut, _STARTS_OF_A_RUN) else numbers(graph, cut, ("starts",))
    for axis, start in zip(axes, starts or (None,) * len(axes)):
        places = sys.maxsize if start is None else -start
        if places > 1 and axis not in dropped and axis < len(shape):
            yield places, shape[axis]


def _may_begin_before(cut: Operator, graph: Graph) -> bool:
    if graph.dtype(operand(cut, FIRST)) not in IN_ONEDNN:
        return False
    return any(size < places for places, size in _sizes_before(cut, graph))


def begins_before(graph: Graph, release: str) -> tuple[Operator, ...]:
    found = (one for one in graph.named(_SLICES) if _may_begin_before(one, graph))
    return tuple(
        one
        for one in found
        if any(0 < size < places < sys.maxsize for places, size in _sizes_before(one, graph))
    )


MAY_BEGIN_BEFORE = (OperatorPattern(_SLICES, where=_may_begin_before),)

RULE = Rule(
    id="CL609",
    title="slice that may begin before what it is taken of, oneDNN, legacy program",
    when=(replace(LEGACY_ON_CPU, operators=MAY_BEGIN_BEFORE),),
    action=Action.WITHOUT_ONEDNN,
    explanation=(
        "`x[:, -8:]` of 7 places is all of them, as in numpy, and for Paddle's own kernel. "
        "oneDNN's takes the 8 at its word: `could not construct a sub-memory`. Caches of "
        "streaming models (the last 8 frames, tokens, keys) are such until they are full. Slices "
        "are left out of the list that oneDNN may take."
    ),
    without="error",
    evidence=(
        Evidence("measured", "linear(x)[:, -8:] of 7 places: 2.6.2, 3.0.0 and 3.3.1"),
        Evidence("measured", "x[:, -12:-8] of 9 places: the same; int64 and float64: right"),
        Evidence("measured", "x[:, n:], where a run gives n: the same, or right"),
        Evidence("measured", "x[:, :8], x[:, :-2] of 7 places: right"),
        Evidence("measured", "a streaming Conformer's keys (matrix.blind), 2.6.2 to 3.3.1"),
    ),
    alone=(Alone(652, sees=begins_before),),
)
