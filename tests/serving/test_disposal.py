"""A predictor is deleted by a thread that stays, while no other one runs."""

from __future__ import annotations

import signal
import threading
from pathlib import Path

from compatload.loading.disposal import DISPOSAL
from compatload.loading.primitives import PRIMITIVES
from compatload.serving.pool import RunnerPool
from tests.releases import done_in

SCRIPT = Path(__file__).with_name("beside_deletion.py")
MODEL = "2.6.2/classifier"


def beside_deletion(who: str, seconds: float) -> tuple[int, str]:
    done = done_in("2.6.2", SCRIPT, who, MODEL, seconds)
    return done.returncode, done.stdout + done.stderr[-2000:]


def test_deletion_beside_a_run() -> None:
    status, said = beside_deletion("compatload", 6)
    assert status == 0, said
    told, runs, deleted = next(one for one in said.splitlines() if one.startswith("ok ")).split()
    assert told == "ok"
    assert int(runs) >= 5
    assert int(deleted) >= 5


def test_paddles_own_deletion_crashes_the_run() -> None:
    """Of 8 attempts of 6 seconds 2 to 5 did."""
    statuses = []
    while -signal.SIGSEGV not in statuses and len(statuses) < 30:
        statuses.append(beside_deletion("paddle", 6)[0])
    assert statuses[-1] == -signal.SIGSEGV


class Runner:
    """Says in which thread it was deleted, and which others were alive then."""

    def __init__(self) -> None:
        self.said: list[tuple[str, set[str]]] = []
        self.deleted = threading.Event()

    def __del__(self) -> None:
        alive = {one.name for one in threading.enumerate()}
        self.said.append((threading.current_thread().name, alive))
        self.deleted.set()


def test_a_pool_hands_its_runners_over_as_its_threads_end() -> None:
    runner = Runner()
    said = runner.said
    pool = RunnerPool([runner], name="m")
    del runner
    assert pool.run(lambda found: found.said is said, None)
    assert not said
    assert pool.close(5)
    ((by, alive),) = said
    assert by == "compatload disposal"
    assert "compatload-0" not in alive


def test_deletion_waits_for_who_runs() -> None:
    runner = Runner()
    said, gone = runner.said, threading.Event()
    with PRIMITIVES.used():
        DISPOSAL.let_go([runner], gone.set)
        del runner
        assert not gone.wait(0.1)
        assert not said
    assert gone.wait(5)
    assert len(said) == 1


def test_closing_in_a_run_does_not_wait_for_itself() -> None:
    runner = Runner()
    said, deleted = runner.said, runner.deleted
    pool = RunnerPool([runner], name="m")
    del runner
    with PRIMITIVES.used():
        assert pool.close()
        assert not said
    # Not an own goodbye behind it: the pool's thread may say its one after that.
    assert deleted.wait(5)
    assert len(said) == 1


def test_who_deletes_in_a_forked_process_starts_anew() -> None:
    first = DISPOSAL._thread
    DISPOSAL.reset()
    gone = threading.Event()
    DISPOSAL.let_go([], gone.set)
    assert gone.wait(5)
    assert DISPOSAL._thread is not first
