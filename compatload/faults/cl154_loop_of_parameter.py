"""CL154: a loop that begins with a parameter, or with what is read behind it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from compatload.artifact.model import LOOPS, Artifact, Operator
from compatload.faults.graph import Graph, bare_name, values_of
from compatload.faults.model import (
    LAYER,
    LEGACY,
    PIR,
    PREDICTOR,
    PROGRAM,
    Action,
    Alone,
    Condition,
    Evidence,
    Rule,
)

LOOP = "pd_op.while"
_CONDITION = "0"
_ENDS = frozenset({"fetch", "shadow_output"})
_GIVEN = frozenset({"data", "feed"})


def begun_with_needed(graph: Graph) -> frozenset[str]:
    """What loops carry, to begin with, and what they free: parameters as they are stored, and
    values that something behind them reads."""
    owners = graph.owners
    loops: dict[str, list[Operator]] = {}
    for loop in graph.named(LOOPS):
        for slot, values in loop.inputs.items():
            for value in values if slot != _CONDITION else ():
                loops.setdefault(value, []).append(loop)
    return frozenset(
        value
        for value, begun in loops.items()
        if graph.is_stored(value) or _is_read_behind(value, begun, graph, owners)
    )


def _is_read_behind(
    value: str, loops: Iterable[Operator], graph: Graph, owners: Mapping[int, Operator]
) -> bool:
    """Outputs stay until the end of a run, and what an outer loop carries is its own to free."""
    if value not in graph.producers:
        return False
    last: dict[int, int] = {}  # the place of the last reader of each block
    for one in graph.users.get(value, ()):
        if bare_name(one) not in _ENDS:
            last[one.block] = max(one.index, last.get(one.block, 0))
    return any(_is_behind(*place, loop, owners) for loop in loops for place in last.items())


def _is_behind(block: int, index: int, loop: Operator, owners: Mapping[int, Operator]) -> bool:
    while block != loop.block:
        if block not in owners:
            return False
        block, index = owners[block].block, owners[block].index
    return index > loop.index


def of_parameters(graph: Graph, release: str = "") -> tuple[Operator, ...]:
    """Loops that begin with a parameter."""
    return tuple(one for one in graph.named(LOOPS) if any(_stored(one, graph)))


def _stored(loop: Operator, graph: Graph) -> Iterator[bool]:
    return (graph.is_stored(value) for values in loop.inputs.values() for value in values)


def _of_computed(graph: Graph, release: str) -> tuple[Operator, ...]:
    return _begun_with(graph, given=False)


def _of_given(graph: Graph, release: str) -> tuple[Operator, ...]:
    """Those of inputs, which a predictor keeps."""
    return _begun_with(graph, given=True)


def _begun_with(graph: Graph, *, given: bool) -> tuple[Operator, ...]:
    loops = graph.named(LOOPS)
    needed = begun_with_needed(graph) if loops else frozenset()
    found = {
        value
        for value in needed
        if not graph.is_stored(value) and (bare_name(graph.producers[value]) in _GIVEN) is given
    }
    return tuple(one for one in loops if not found.isdisjoint(values_of(one.inputs)))


def begun_by_loops(artifact: Artifact) -> tuple[str, ...]:
    """Parameters that loops of a legacy program change; a buffer may be meant to change."""
    loops = [one for one in artifact.program.operators if one.name in LOOPS and not one.block]
    trained = artifact.trainable_parameters if loops else None
    carried = (value for one in loops for value in one.outputs.get("Out", ()))
    return tuple(value for value in carried if value in (trained or ()))


def _of_trained(graph: Graph, release: str) -> tuple[Operator, ...]:
    changed = frozenset(begun_by_loops(graph.artifact))
    loops = graph.named(LOOPS) if changed else ()
    return tuple(one for one in loops if not changed.isdisjoint(one.outputs.get("Out", ())))


RULE = Rule(
    id="CL154",
    title="a loop that begins with a parameter, or with what is read behind it",
    action=Action.REPAIR,
    explanation=(
        "`h = self.start`, then `while …: h = f(h)`: the first round frees what it was given, "
        "which is the parameter itself. A layer hands it over anew; for programs and predictors "
        "the second run fails (`Tensor holds no memory`). Of `h = x`, where `x` is an input or "
        "computed and read behind the loop as well, the first run fails. In legacy programs the "
        "loop writes into the parameter, and the second run begins where the first one ended, "
        "without an error, in 2.6 itself. The loop begins with a copy."
    ),
    without="wrong",
    evidence=(
        Evidence("measured", "a bias that a loop changes, 3.0.0 and 3.3.1: the second run fails"),
        Evidence("measured", "the same saved by 2.6.2: off by 0.38, in every way, every release"),
        Evidence("measured", "bias * 1, a reshape of it, or an input: right"),
        Evidence("measured", "h = linear(x), three rounds, h * linear(x): 3.0.0 and 3.3.1 fail"),
    ),
    module="compatload.programs.legacy_repairs.loops_of_parameters",
    alone=(
        Alone(657, when=Condition(formats=LEGACY), sees=_of_trained),
        Alone(
            655,
            "error",
            when=Condition(paddle=">=3.0", apis=PROGRAM | PREDICTOR, formats=PIR),
            sees=of_parameters,
        ),
        Alone(691, "error", when=Condition(paddle=">=3.0", formats=PIR), sees=_of_computed),
        Alone(
            692,
            "error",
            when=Condition(paddle=">=3.0", apis=LAYER | PROGRAM, formats=PIR),
            sees=_of_given,
        ),
    ),
)
