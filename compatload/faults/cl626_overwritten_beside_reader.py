"""CL626: a filled state of a loop, read beside what overwrites it, oneDNN, legacy program."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from compatload.artifact.model import LOOPS, Operator
from compatload.faults.graph import Graph, result, values_of
from compatload.faults.model import Action, Alone, Evidence, OperatorPattern, Rule
from compatload.faults.onednn import IN_ONEDNN, LEGACY_ON_CPU

_FILLING = frozenset({"fill_constant"})


def raced(graph: Graph) -> frozenset[str]:
    """The states of loops that a round overwrites by what does not wait for all who read them."""
    if graph.raced is None:
        loops = graph.named(LOOPS)
        inside: dict[int, list[Operator]] = {}
        for one in graph.operators if loops else ():
            inside.setdefault(one.block, []).append(one)
        bodies = [
            (loop, [one for block in loop.sub_blocks for one in inside.get(block, ())])
            for loop in loops
        ]
        graph.raced = frozenset(
            state
            for loop, body in bodies
            for state in values_of(loop.outputs)
            if graph.dtype(state) in IN_ONEDNN and _is_raced(state, body)
        )
    return graph.raced


def _is_raced(state: str, body: Sequence[Operator]) -> bool:
    for place, writer in enumerate(body):
        if state in values_of(writer.outputs):
            awaited = set(_above(writer, body[:place]))
            return any(
                state in values_of(reader.inputs) and number not in awaited
                for number, reader in enumerate(body[:place])
            )
    return False


def _above(writer: Operator, before: Sequence[Operator]) -> Iterator[int]:
    """The places of what an operator is computed from, in the same round."""
    wanted = set(values_of(writer.inputs))
    for place in range(len(before) - 1, -1, -1):
        if not wanted.isdisjoint(values_of(before[place].outputs)):
            wanted |= values_of(before[place].inputs)
            yield place


def _fills_raced(filling: Operator, graph: Graph) -> bool:
    return result(filling) in raced(graph)


RULE = Rule(
    id="CL626",
    title="a filled state of a loop, read beside what overwrites it, oneDNN, legacy program",
    when=(replace(LEGACY_ON_CPU, operators=(OperatorPattern(_FILLING, where=_fills_raced),)),),
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
