"""CL626: a filled state of a loop, read beside what overwrites it, oneDNN, legacy program."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from compatload.artifact.model import LOOPS, Operator
from compatload.faults.graph import Graph, values_of
from compatload.faults.model import Action, Alone, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import IN_ONEDNN, LEGACY_ON_CPU

_FILLING = frozenset({"fill_constant"})
# More states than any loop of a model has: they are not looked at one by one.
_MOST = 256


def makes_raced(operator: Operator, graph: Graph) -> bool:
    """Whether it makes, in front of a loop, a state that a round of it overwrites by what does not
    wait for all who read it."""
    if graph.raced is None:
        graph.raced = _raced(graph)
    return any(
        loop.block == operator.block and operator.index < loop.index
        for value in graph.raced.keys() & values_of(operator.outputs)
        for loop in graph.raced[value]
    )


def _raced(graph: Graph) -> dict[str, list[Operator]]:
    """Such states, and their loops."""
    found: dict[str, list[Operator]] = {}
    for loop in graph.named(LOOPS):
        written = values_of(loop.outputs)
        states = {state for state in written if graph.dtype(state) in IN_ONEDNN}
        for state in states if len(states) > _MOST else _raced_in(graph.inside(loop), states):
            found.setdefault(state, []).append(loop)
    return found


def _raced_in(body: Sequence[Operator], states: Collection[str]) -> Iterator[str]:
    read: dict[str, list[int]] = {state: [] for state in states}
    written: dict[str, list[int]] = {state: [] for state in states}
    for place, one in enumerate(body):
        for places, values in ((read, one.inputs), (written, one.outputs)):
            for state in values_of(values).intersection(states):
                places[state].append(place)
    for state in states:
        for writer in written[state]:
            before = [place for place in read[state] if place < writer]
            if before and not set(before) <= set(_above(body, writer)):
                yield state
                break


def _above(body: Sequence[Operator], writer: int) -> Iterator[int]:
    """The places of what an operator is computed from, in the same round."""
    wanted = set(values_of(body[writer].inputs))
    for place in range(writer - 1, -1, -1):
        if not wanted.isdisjoint(values_of(body[place].outputs)):
            wanted |= values_of(body[place].inputs)
            yield place


RULE = Rule(
    id="CL626",
    title="a filled state of a loop, read beside what overwrites it, oneDNN, legacy program",
    when=(replace(LEGACY_ON_CPU, operators=(OperatorPattern(_FILLING, where=makes_raced),)),),
    action=Action.WITHOUT_ONEDNN,
    explanation=(
        "`prev = paddle.zeros([3])` in front of a loop that reads `prev` and sets it to something "
        "else: oneDNN fills it, and each operator of the loop that is none of oneDNN's reads a "
        "copy, made by an operator that a round's writer of `prev` does not wait for. From the "
        "second run on it reads the next round's value, now and then (`a, b = b, a % b`). The "
        "operator is left out of the list that oneDNN may take."
    ),
    without="wrong",
    evidence=(
        Evidence("measured", "Euclid's algorithm: 20 of 30 runs wrong, 2.6.2, 3.0.0 and 3.3.1"),
        Evidence("measured", "products of neighbours, `s += (x[i] * prev).sum()`: 3 to 16 of 30"),
        Evidence("measured", "the same with fill_constant, or all, outside oneDNN: right"),
    ),
    alone=(Alone(684, by_data=True),),
)
