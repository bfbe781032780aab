"""CL170: a loop writes over an input, or over what is read in front of it, legacy program."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from compatload.artifact.model import Artifact, Operator
from compatload.faults.graph import Graph, owners_of_blocks, place_in_main_block, values_of
from compatload.faults.model import LEGACY, PREDICTOR, Action, Alone, Condition, Evidence, Rule

LOOP = "while"
_FETCH = frozenset({"fetch"})
_FEED = frozenset({"feed"})


def written_over(artifact: Artifact) -> Mapping[int, tuple[str, ...]]:
    """By the number of a loop among those of the main block: its states that are inputs, or that
    are read in front of it by what need not be computed before it."""
    operators = artifact.program.operators
    loops = [one for one in operators if one.name == LOOP and not one.block]
    if not loops:
        return {}
    fed = {v for one in operators if one.name in _FEED for v in values_of(one.outputs)}
    # Another variable would be another name of the output.
    fetched = {v for one in operators if one.name in _FETCH for v in values_of(one.inputs)}
    found = {
        number: tuple(sorted(_states(loop, operators, fed) - fetched))
        for number, loop in enumerate(loops)
    }
    return {number: states for number, states in found.items() if states}


def _states(loop: Operator, operators: Sequence[Operator], fed: Collection[str]) -> set[str]:
    written = values_of(loop.outputs) & values_of(loop.inputs)
    readers = _beside(loop, operators, written - set(fed))
    return {v for v in written if v in fed or v in readers}


def _beside(loop: Operator, operators: Sequence[Operator], states: Iterable[str]) -> set[str]:
    """Of these states those that something in front of the loop reads which it does not wait for:
    passes order operators by what they read, and one that reads a state may come behind it."""
    states = set(states)
    if not states:
        return set()
    owners = owners_of_blocks(operators)
    wanted = set(values_of(loop.inputs))
    found: set[str] = set()
    for one in reversed([o for o in operators if place_in_main_block(o, owners) < loop.index]):
        read = values_of(one.inputs)
        if wanted.isdisjoint(values_of(one.outputs)):
            found |= states & read
        else:
            wanted |= read
    return found


def _overtaken(graph: Graph, release: str) -> tuple[Operator, ...]:
    """Loops of which a predictor may put a reader behind them."""
    found = written_over(graph.artifact)
    loops = [one for one in graph.named(frozenset({LOOP})) if not one.block]
    return tuple(
        loop
        for number, loop in enumerate(loops)
        if _beside(loop, graph.operators, found.get(number, ()))
    )


RULE = Rule(
    id="CL170",
    title="a loop writes over an input, or over what is read in front of it, legacy program",
    action=Action.REPAIR,
    explanation=(
        "`y = f(x); h = x; while …: h = g(h)`: 2.6 saves a loop that writes into `x` itself. A "
        "layer of 2.6 so changes the Tensor that its caller passed; a predictor of any release "
        "orders operators by what they read, fuses those of `f` and puts them behind the loop, "
        "where `x` is another. The loop writes into a copy. What is read of `x` behind it is the "
        "state, as the file has it: safe_save keeps the two apart (CL422)."
    ),
    without="wrong",
    evidence=(
        Evidence("measured", "linear(x) + h, h = x and three rounds: predictors off by 1, 2.6.2"),
        Evidence("measured", "the same with oneDNN off, and on 3.3.1"),
        Evidence("measured", "h = x, three rounds, layer on 2.6.2: the caller's x is changed"),
    ),
    module="compatload.programs.legacy_repairs.loops_over_read",
    alone=(
        Alone(
            690,
            when=Condition(apis=PREDICTOR, formats=LEGACY),
            sees=_overtaken,
        ),
    ),
)
