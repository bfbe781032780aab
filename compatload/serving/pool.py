"""A bounded number of runners, each with a thread of its own where it needs one.

A predictor is run by one thread only: after its first run, oneDNN's primitives fail in any other
thread (3.0.0 and 3.1.1: "could not execute a primitive"). It is also never run by two at once.
So calls are handed to the threads that own the runners, and wait while all of those are busy.
What a thread owns is deleted after its end, by the one thread that may (see ``disposal``).
What other engines run may be run by any thread, and is by the caller's: a handing over costs 40 µs.
"""

from __future__ import annotations

import os
import queue
import threading
import time
import weakref
from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

from compatload.errors import PoolBusyError, PoolClosedError
from compatload.loading.disposal import DISPOSAL
from compatload.loading.primitives import PRIMITIVES

Runner = TypeVar("Runner")
Result = TypeVar("Result")

# How long the end of the interpreter waits for runs that are under way.
_LAST_WAIT = 5.0


class RunnerPool(Generic[Runner]):
    """Runs jobs on ``runners``, each in its own thread, at most ``len(runners)`` at a time; with
    ``own_threads=False`` in the caller's.

    The threads end when the pool is closed, or is no longer referred to.
    """

    def __init__(self, runners: Sequence[Runner], *, name: str, own_threads: bool = True) -> None:
        self._state = _State(name, len(runners))
        for number, runner in enumerate(runners):
            worker = _Worker(f"compatload-{number}")
            self._state.idle.append(worker)
            if own_threads:
                worker.start(runner, self._state)
            else:
                worker.lent = [runner]
        self._end = weakref.finalize(self, _end, self._state, _LAST_WAIT)

    @property
    def size(self) -> int:
        return self._state.size

    @property
    def closed(self) -> bool:
        return self._state.closed or self._state.process != os.getpid()

    def run(self, act: Callable[[Runner], Result], timeout: float | None) -> Result:
        """What ``act`` returns or raises, called with a runner in the thread that owns it, if one
        does.

        Raises:
            PoolBusyError: no runner became free within ``timeout`` seconds (None: wait for ever).
            PoolClosedError: the pool is closed, or belongs to the process this one was forked from.
        """
        worker = self._state.take(timeout)
        if worker.lent:
            try:
                return act(worker.lent[0])
            finally:
                self._state.put_back(worker)
        job = _Job(act)
        worker.jobs.put(job)
        return job.result()

    def close(self, timeout: float | None = None) -> bool:
        """Refuse new calls, let the others finish, end the threads; whether all of them ended."""
        return _end(self._state, timeout)


class _Job(Generic[Runner, Result]):
    """One call. The lock is held until it is done: nothing wakes a thread up faster."""

    def __init__(self, act: Callable[[Runner], Result]) -> None:
        self._act = act
        self._done = threading.Lock()
        self._done.acquire()
        self._result: Any = None
        self._error: BaseException | None = None

    def run(self, runner: Runner) -> None:
        try:
            self._result = self._act(runner)
        except BaseException as error:  # it belongs to the caller, whatever it is
            self._error = error

    def finish(self) -> None:
        self._done.release()

    def result(self) -> Result:
        self._done.acquire()
        if self._error is not None:
            try:
                raise self._error
            finally:
                self._error = None  # the traceback refers to this frame
        result: Result = self._result
        return result


class _Worker:
    """A thread and what it is to do next (None ends it), or a runner that is ``lent``."""

    def __init__(self, name: str) -> None:
        self.jobs: queue.SimpleQueue[_Job[Any, Any] | None] = queue.SimpleQueue()
        self._name = name
        self.thread: threading.Thread | None = None
        self.lent: list[Any] = []
        self.gone = threading.Event()  # once its runner is deleted

    def start(self, runner: Any, state: _State) -> None:
        # A thread that hangs in native code must not keep the interpreter from ending.
        self.thread = threading.Thread(
            target=_work, args=([runner], self, state), name=self._name, daemon=True
        )
        self.thread.start()

    def end(self) -> None:
        if self.thread is None:
            self.lent.clear()
            self.gone.set()
        else:
            self.jobs.put(None)

    @property
    def is_this_thread(self) -> bool:
        return self.thread is threading.current_thread()


class _State:
    """What the pool and its threads share. The threads must not refer to the pool itself."""

    def __init__(self, name: str, size: int) -> None:
        self.name = name
        self.size = size
        self.process = os.getpid()
        self.closed = False
        self.idle: list[_Worker] = []
        self.waiting = 0
        self._nobody_waits_for_the_end = False
        self._changed = threading.Condition()

    def take(self, timeout: float | None) -> _Worker:
        if self.process != os.getpid():
            raise PoolClosedError(
                f"{self.name} was loaded before this process was forked; its threads are not here",
                action="Load the model in each worker process.",
            )
        with self._changed:
            if self.closed:
                raise PoolClosedError(f"{self.name} is closed", action="Load the model again.")
            if self.idle:
                return self.idle.pop()  # the one used last: its memory is still in the cache
            self.waiting += 1
            try:
                free = self._changed.wait_for(lambda: bool(self.idle), timeout)
            finally:
                self.waiting -= 1
            if not free:
                raise PoolBusyError(
                    f"{self.name}: no predictor became free within {timeout:g} seconds "
                    f"({self.size} in all)",
                    action="Send fewer calls at once, or load with a larger pool_size.",
                )
            return self.idle.pop()

    def put_back(self, worker: _Worker) -> None:
        ending: list[_Worker] = []
        with self._changed:
            self.idle.append(worker)
            if self.waiting or self.closed:
                self._changed.notify_all() if self.closed else self._changed.notify()
            if self._nobody_waits_for_the_end and self._all_idle():
                ending = self._taken()
        for each in ending:
            each.end()

    def drained(self, timeout: float | None) -> list[_Worker] | None:
        """Closed; all workers once nobody uses or waits for any.

        None if that takes longer: the last one to finish then ends them. None is ended before, as
        clones of a legacy predictor go wrong when one of them is deleted (3.0.0 to 3.3.1).
        """
        with self._changed:
            self.closed = True
            if self._changed.wait_for(self._all_idle, timeout):
                return self._taken()
            self._nobody_waits_for_the_end = True
            return None

    def _all_idle(self) -> bool:
        return not self.waiting and len(self.idle) == self.size

    def _taken(self) -> list[_Worker]:
        taken, self.idle, self.size = self.idle, [], 0
        return taken


def _work(owned: list[Any], worker: _Worker, state: _State) -> None:
    runner = owned[0]
    while (job := worker.jobs.get()) is not None:
        job.run(runner)
        # Before its caller goes on: the next call of that one finds a free worker.
        state.put_back(worker)
        job.finish()
        del job
    del runner
    DISPOSAL.let_go(owned, worker.gone.set, ended=threading.current_thread())


def _end(state: _State, timeout: float | None) -> bool:
    if state.process != os.getpid():
        return True
    deadline = None if timeout is None else time.monotonic() + timeout
    ending = state.drained(timeout)
    if ending is None:
        return False
    for worker in ending:
        worker.end()
    if PRIMITIVES.used_by_this_thread or any(one.is_this_thread for one in ending):
        return True  # they are deleted as soon as this thread lets them
    return all(
        worker.gone.wait(None if deadline is None else max(0.0, deadline - time.monotonic()))
        for worker in ending
    )
