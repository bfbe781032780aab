"""Turns of calls, by a clock that the calls themselves move."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from compatload.trials import timing

Calls = dict[str, Callable[[], None]]


class Clock:
    """Time goes on only while something is called."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 0.0
        self.called: list[str] = []
        self.slept: list[float] = []
        monkeypatch.setattr(timing.time, "perf_counter", lambda: self.now)
        monkeypatch.setattr(timing.time, "sleep", self.slept.append)

    def calls(self, **seconds: float) -> Calls:
        return {name: self._call(name, taken) for name, taken in seconds.items()}

    def _call(self, name: str, taken: float) -> Callable[[], None]:
        def call() -> None:
            self.called.append(name)
            self.now += taken

        return call

    def __call__(self) -> float:
        return self.now


def test_every_second_turn_goes_the_other_way_round(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch)
    timing.timed_in_turns(clock.calls(one=1.0, other=1.0), turns=2, rest=0.5, clock=clock)
    assert clock.called[2::2] == ["one", "other", "other", "one"]  # two calls a turn
    assert clock.slept == [0.5] * 4


@pytest.mark.parametrize(("other", "further"), [(1.1, True), (1.3, False)])
def test_those_that_are_near_get_more_turns(
    other: float, further: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock(monkeypatch)
    found = timing.told_apart(clock.calls(best=1.0, other=other, slow=2.0), clock=clock)
    assert found == pytest.approx({"best": 1.0, "other": other, "slow": 2.0})
    assert (clock.called.count("best") > clock.called.count("slow")) == further
    assert clock.called.count("best") == clock.called.count("other")
