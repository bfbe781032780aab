"""The pool alone, with lists for runners: bounded, and gone when nobody uses it."""

from __future__ import annotations

import gc
import os
import threading
import time

import pytest

from compatload.errors import PoolBusyError, PoolClosedError
from compatload.serving.pool import RunnerPool


def _threads() -> int:
    return sum(thread.name.startswith("compatload-") for thread in threading.enumerate())


def _until(holds, seconds: float = 5.0) -> bool:
    end = time.monotonic() + seconds
    while not holds() and time.monotonic() < end:
        time.sleep(0.01)
    return bool(holds())


@pytest.fixture
def pool():
    made = RunnerPool([[], []], name="m")
    yield made
    assert made.close(5)


def test_each_runner_stays_in_its_own_thread() -> None:
    pool = RunnerPool([set(), set(), set()], name="m")

    def note(seen: set[int]) -> tuple[int, set[int]]:
        seen.add(threading.get_ident())
        time.sleep(0.001)
        return id(seen), set(seen)

    results: list[tuple[int, set[int]]] = []
    callers = [
        threading.Thread(target=lambda: results.extend(pool.run(note, 5) for _ in range(30)))
        for _ in range(6)
    ]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert len(results) == 180
    assert len({key for key, _ in results}) == 3  # all of them were used
    assert all(len(threads) == 1 for _, threads in results)
    assert pool.close(5)


def test_a_runner_that_needs_no_thread_runs_in_the_callers() -> None:
    pool = RunnerPool([[1]], name="m", own_threads=False)
    before = _threads()
    assert pool.run(lambda runner: (runner[0], threading.get_ident()), 1) == (
        1,
        threading.get_ident(),
    )
    with pytest.raises(ZeroDivisionError):
        pool.run(lambda _: 1 // 0, 1)
    assert _threads() == before
    busy, free = threading.Event(), threading.Event()

    def hold(_: list[int]) -> None:
        busy.set()
        free.wait(5)

    holder = threading.Thread(target=pool.run, args=(hold, 5))
    holder.start()
    assert busy.wait(5)
    with pytest.raises(PoolBusyError):
        pool.run(len, 0.01)
    assert not pool.close(0.01)  # the call that is under way ends it
    free.set()
    holder.join()
    assert pool.close(1)
    with pytest.raises(PoolClosedError):
        pool.run(len, 1)


def test_results_and_errors_come_back(pool) -> None:
    assert pool.run(lambda runner: (runner, 7), 1)[1] == 7
    with pytest.raises(ZeroDivisionError):
        pool.run(lambda _: 1 // 0, 1)
    assert pool.run(lambda _: "still there", 1) == "still there"


def test_a_call_waits_no_longer_than_asked() -> None:
    pool = RunnerPool([[]], name="the model")
    go_on, inside = threading.Event(), threading.Event()

    def occupy(_: object) -> None:
        inside.set()
        go_on.wait(10)

    first = threading.Thread(target=pool.run, args=(occupy, None))
    first.start()
    assert inside.wait(5)
    started = time.monotonic()
    with pytest.raises(PoolBusyError, match=r"the model: no predictor became free within 0.2 s"):
        pool.run(lambda _: None, 0.2)
    assert 0.15 < time.monotonic() - started < 3
    with pytest.raises(TimeoutError):  # the builtin that a service may catch
        pool.run(lambda _: None, 0)
    go_on.set()
    first.join()
    assert pool.run(lambda _: 1, 1) == 1
    assert pool.close(5)


def test_closing_lets_waiting_calls_finish_and_refuses_new_ones() -> None:
    pool = RunnerPool([[]], name="m")
    go_on, inside = threading.Event(), threading.Event()

    def occupy(_: object) -> str:
        inside.set()
        go_on.wait(10)
        return "done"

    results: list[str] = []
    calls = [
        threading.Thread(target=lambda: results.append(pool.run(occupy, 10))) for _ in range(3)
    ]
    for call in calls:
        call.start()
    assert inside.wait(5)
    assert _until(lambda: pool._state.waiting == 2)
    assert not pool.close(0.1)  # they are not done
    assert pool.closed
    with pytest.raises(PoolClosedError):
        pool.run(occupy, 1)
    go_on.set()
    for call in calls:
        call.join()
    assert results == ["done"] * 3
    assert pool.close(5)
    assert pool.close(5)  # twice is no matter
    assert _until(lambda: _threads() == 0)


def test_no_runner_is_dropped_before_all_are_done() -> None:
    """One of Paddle's clones goes wrong when another is deleted."""

    class Runner:
        def __del__(self) -> None:
            dropped.append(self)

    dropped: list[object] = []
    pool = RunnerPool([Runner(), Runner()], name="m")
    go_on, inside = threading.Event(), threading.Event()

    def occupy(_: object) -> None:
        inside.set()
        go_on.wait(10)

    call = threading.Thread(target=lambda: pool.run(occupy, 10))
    call.start()
    assert inside.wait(5)
    assert not pool.close(0.1)
    time.sleep(0.1)
    assert not dropped
    go_on.set()
    call.join()
    assert _until(lambda: len(dropped) == 2 and _threads() == 0)
    assert pool.close(1)


def test_a_pool_that_nobody_holds_ends_its_threads_and_drops_its_runners() -> None:
    class Runner:
        def __del__(self) -> None:
            dropped.append(threading.current_thread().name)

    dropped: list[str] = []
    pool = RunnerPool([Runner(), Runner()], name="m")
    assert pool.run(lambda _: 1, 1) == 1
    assert _threads() == 2
    del pool
    gc.collect()
    assert _until(lambda: len(dropped) == 2 and _threads() == 0)
    assert set(dropped) == {"compatload disposal"}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_forked_child_is_told_that_the_threads_are_not_there(pool) -> None:
    child = os.fork()
    if child == 0:
        try:
            pool.run(lambda _: None, 1)
        except PoolClosedError:
            os._exit(42 if pool.closed and pool.close(0) else 1)
        finally:
            os._exit(1)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 42
    assert pool.run(lambda _: 1, 1) == 1
