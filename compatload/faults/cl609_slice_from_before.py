"""CL609: slices that may begin before what they are taken of, oneDNN, legacy program."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from compatload.artifact.model import Operator
from compatload.faults.emptied import caches
from compatload.faults.graph import FIRST, Graph, bare_name, operand
from compatload.faults.model import Action, Alone, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import IN_ONEDNN, LEGACY_ON_CPU
from compatload.faults.sizes import told_bounds

_SLICES = frozenset({"slice"})
_JOINING = frozenset({"concat"})
_JOINED = frozenset({"combine", *_JOINING})


class _Cut(NamedTuple):
    """Of one axis, which the result keeps; None: a run tells where, -1: or how long it is."""

    start: int | None
    end: int | None
    size: int

    @property
    def may_begin_before(self) -> bool:
        return self.start is None or (self.start < -1 and self.size < -self.start)

    @property
    def begins_before(self) -> bool:
        return self.start is not None and 0 < self.size < -self.start

    @property
    def may_be_empty(self) -> bool:
        """Whether an axis of one place, or a few, has none there."""
        start, end = self.start or 0, self.end or 0
        return self.size == -1 and (start > 0 or end < 0)


def _cuts(cut: Operator, graph: Graph) -> Iterator[_Cut]:
    shape = graph.shape(operand(cut, FIRST)) or ()
    axes, dropped = (cut.attributes.get(name) or () for name in ("axes", "decrease_axis"))
    if not isinstance(axes, tuple) or not isinstance(dropped, tuple):
        return
    starts, ends = told_bounds(graph, cut)
    unknown = (None,) * len(axes)
    for axis, start, end in zip(axes, starts or unknown, ends or unknown):
        if axis not in dropped and axis < len(shape):
            yield _Cut(start, end, shape[axis])


def _is_beyond_onednn(cut: Operator, graph: Graph) -> bool:
    """Whether it may begin before what it is of, or, where it is joined to others, be empty; or is
    as long as a run tells, which may be the length of a cache."""
    if graph.dtype(operand(cut, FIRST)) not in IN_ONEDNN:
        return False
    cuts = [*_cuts(cut, graph)]
    return (
        any(one.may_begin_before for one in cuts)
        or (any(one.end is None for one in cuts) and bool(caches(graph)))
        or (
            any(one.may_be_empty for one in cuts)
            and graph.leads(cut, lambda user: bare_name(user) in _JOINING, _is_joined)
        )
    )


def _is_joined(user: Operator) -> bool:
    return bare_name(user) in _JOINED


def begins_before(graph: Graph, release: str) -> tuple[Operator, ...]:
    found = (one for one in graph.named(_SLICES) if graph.dtype(operand(one, FIRST)) in IN_ONEDNN)
    return tuple(one for one in found if any(cut.begins_before for cut in _cuts(one, graph)))


BEYOND_ONEDNN = (OperatorPattern(_SLICES, where=_is_beyond_onednn),)

RULE = Rule(
    id="CL609",
    title="slice that may begin before what it is taken of, oneDNN, legacy program",
    when=(replace(LEGACY_ON_CPU, operators=BEYOND_ONEDNN),),
    action=Action.WITHOUT_ONEDNN,
    explanation=(
        "`x[:, -8:]` of 7 places is all of them, as in numpy, and for Paddle's own kernel. "
        "oneDNN's takes the 8 at its word: `could not construct a sub-memory`. Caches of "
        "streaming models (the last 8 frames, tokens, keys) are such until they are full. So is "
        "`concat([last, x[:, :-1]])` of one place, the first step of a shift in time. Slices "
        "are left out of the list that oneDNN may take."
    ),
    without="error",
    evidence=(
        Evidence("measured", "linear(x)[:, -8:] of 7 places: 2.6.2, 3.0.0 and 3.3.1"),
        Evidence("measured", "x[:, -12:-8] of 9 places: the same; int64 and float64: right"),
        Evidence("measured", "x[:, n:], where a run gives n: the same, or right"),
        Evidence("measured", "x[:, :8], x[:, :-2] of 7 places: right"),
        Evidence(
            "measured", "concat([y, x[:, :-1]], 1), one place: `could not reshape a memory …`"
        ),
        Evidence("measured", "a streaming Conformer's keys (matrix.blind), 2.6.2 to 3.3.1"),
    ),
    alone=(Alone(652, sees=begins_before),),
)
