"""What a call takes, measured in turns with others."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping, Sequence

_TURNS, _SECONDS_A_TURN, _MOST_CALLS, _LEAST_CALLS = 5, 0.15, 200, 2


def timed_in_turns(
    calls: Mapping[str, Callable[[], object]],
    turns: int = _TURNS,
    seconds: float = _SECONDS_A_TURN,
    rest: float = 0.0,
    clock: Callable[[], float] = time.perf_counter,
) -> dict[str, list[list[float]]]:
    """Seconds of each call, by name and turn; each is made once before.

    Others on the machine slow down some turns and never make one faster. ``rest`` is slept before
    each turn: OpenMP's threads go on spinning for a while. By ``time.process_time`` others disturb
    least, but it counts threads that spin.
    """
    taken: dict[str, list[list[float]]] = {name: [] for name in calls}
    for call in calls.values():
        call()
    for _ in range(turns):
        for name, call in calls.items():
            time.sleep(rest)
            taken[name].append(_turn(call, seconds, clock))
    return taken


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
