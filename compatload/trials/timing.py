"""What a call takes, measured in turns with others."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping, Sequence

_TURNS, _SECONDS_A_TURN, _MOST_CALLS, _LEAST_CALLS = 5, 0.15, 200, 2
# Threads of OpenMP spin for 200 ms after a call, and take the cores from the next turn.
SPINNING = 0.25
# Further turns of what is at most this much slower than the fastest: by less, five turns err.
_NEAR, _FURTHER_TURNS = 1.15, 10


def timed_in_turns(
    calls: Mapping[str, Callable[[], object]],
    turns: int = _TURNS,
    seconds: float = _SECONDS_A_TURN,
    rest: float = 0.0,
    clock: Callable[[], float] = time.perf_counter,
) -> dict[str, list[list[float]]]:
    """Seconds of each call, by name and turn; each is made once before.

    Others on the machine slow down some turns and never make one faster. ``rest`` is slept before
    each turn. Every second turn goes the other way round, so that none always comes behind the
    same. By ``time.process_time`` others disturb least, but it counts threads that spin.
    """
    taken: dict[str, list[list[float]]] = {name: [] for name in calls}
    for call in calls.values():
        call()
    for turn in range(turns):
        for name, call in [*calls.items()][:: -1 if turn % 2 else 1]:
            time.sleep(rest)
            taken[name].append(_turn(call, seconds, clock))
    return taken


def told_apart(
    calls: Mapping[str, Callable[[], object]],
    rest: float = 0.0,
    clock: Callable[[], float] = time.perf_counter,
) -> dict[str, float]:
    """Seconds of a call of each, in its quietest turn; those about as fast as the fastest are given
    more turns."""
    taken = timed_in_turns(calls, rest=rest, clock=clock)
    best = min(map(quietest, taken.values()))
    near = {name: calls[name] for name in calls if quietest(taken[name]) <= _NEAR * best}
    if len(near) > 1:
        for name, turns in timed_in_turns(near, _FURTHER_TURNS, rest=rest, clock=clock).items():
            taken[name] += turns
    return {name: quietest(turns) for name, turns in taken.items()}


def _turn(call: Callable[[], object], seconds: float, clock: Callable[[], float]) -> list[float]:
    measured: list[float] = []
    end = time.perf_counter() + seconds
    while len(measured) < _LEAST_CALLS or (
        time.perf_counter() < end and len(measured) < _MOST_CALLS
    ):
        started = clock()
        call()
        measured.append(clock() - started)
    return measured


def quietest(turns: Sequence[Sequence[float]]) -> float:
    """The median of the turn that was disturbed least."""
    return min(map(statistics.median, turns))
