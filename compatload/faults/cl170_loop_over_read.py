"""CL170: a loop writes over an input, or over what is read in front of it, legacy program."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from compatload.artifact.model import LOOPS, Artifact, Operator
from compatload.faults.graph import Graph, owners_of_blocks, place_in_main_block, values_of
from compatload.faults.model import LEGACY, PREDICTOR, Action, Alone, Condition, Evidence, Rule

_FETCH, _FEED = frozenset({"fetch"}), frozenset({"feed"})
# More loops than any model has: their states are not looked at one by one.
_MOST = 256


def written_over(artifact: Artifact) -> Mapping[int, tuple[str, ...]]:
    """By the number of a loop among those of the main block: its states that are inputs, or that
    are read in front of it by what need not be computed before it."""
    operators = artifact.program.operators
    loops = _loops(operators)
    if not loops:
        return {}
    fed = {v for one in operators if one.name in _FEED for v in values_of(one.outputs)}
    found = {
        number: tuple(sorted((_states(loop) & fed) | beside))
        for number, (loop, beside) in enumerate(zip(loops, _beside(loops, operators)))
    }
    # Another variable would be another name of the output.
    fetched = {v for one in operators if one.name in _FETCH for v in values_of(one.inputs)}
    left = ((number, [v for v in states if v not in fetched]) for number, states in found.items())
    return {number: tuple(states) for number, states in left if states}


def _loops(operators: Sequence[Operator]) -> list[Operator]:
    return [one for one in operators if one.name in LOOPS and not one.block]


def _states(loop: Operator) -> frozenset[str]:
    return values_of(loop.outputs) & values_of(loop.inputs)


def _beside(loops: Sequence[Operator], operators: Sequence[Operator]) -> Iterator[frozenset[str]]:
    """The states of each loop that something in front of it reads which it does not wait for:
    passes order operators by what they read, and one that reads a state may come behind it."""
    if len(loops) > _MOST:
        yield from map(_states, loops)
        return
    owners = owners_of_blocks(operators)
    placed = [(place_in_main_block(one, owners), one) for one in reversed(operators)]
    for loop in loops:
        wanted, found = set(values_of(loop.inputs)), set[str]()
        for place, one in placed:
            if place < loop.index:
                read = values_of(one.inputs)
                waited_for = not wanted.isdisjoint(values_of(one.outputs))
                (wanted if waited_for else found).update(read)
        yield _states(loop) & found


def _overtaken(graph: Graph, release: str) -> tuple[Operator, ...]:
    """Loops of which a predictor may put a reader behind them."""
    found = written_over(graph.artifact)
    loops = _loops(graph.operators) if found else []
    several = enumerate(zip(loops, _beside(loops, graph.operators)))
    return tuple(loop for n, (loop, beside) in several if beside.intersection(found.get(n, ())))


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
    alone=(Alone(690, when=Condition(apis=PREDICTOR, formats=LEGACY), sees=_overtaken),),
)
