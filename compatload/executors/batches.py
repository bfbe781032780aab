"""Work in batches on any executor: results as they are ready, and what a process died of alone.

Batches grow and shrink until one takes a few seconds. A worker that dies takes nothing with it but
its own batch, which runs again; an item that kills whatever runs it is found, and told as lost.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from typing import Generic, TypeVar

from compatload.frozen import frozen

T = TypeVar("T")
R = TypeVar("R")

# Seconds that a batch is to take: sending costs milliseconds, and the last one is waited for.
SECONDS = 2.0
LARGEST = 512
# Batches under way at once: bounds memory, whatever the number of items.
IN_FLIGHT = 32
# How often a batch of one item may take its process with it.
_TRIES = 2


@frozen
class Done(Generic[T, R]):
    """What came of a batch; ``result`` is None for the one item that no process survives."""

    items: list[T]
    result: R | None
    seconds: float = 0.0


class Sizes:
    """How many items make a batch of ``SECONDS``, by what batches took so far."""

    def __init__(self, first: int) -> None:
        self.size = first

    def learn(self, items: int, seconds: float) -> None:
        wanted = items * SECONDS / max(seconds, 1e-3)
        # Not at once: one slow model says little of the next ones.
        self.size = max(1, min(LARGEST, self.size * 2, int(wanted)))


def carried_out(
    items: Iterable[T],
    work: Callable[[list[T]], R],
    executor: Executor | None,
    *,
    first: int = 16,
    alone: Callable[[T], bool] = lambda item: False,
) -> Iterator[Done[T, R]]:
    """``work`` done to every item, batch by batch, in the order in which batches are ready.

    Args:
        executor: any; None: the caller's thread. What raises BrokenExecutor was lost with its
            process: it runs again, alone, item by item.
        first: items of the first batch.
        alone: whether an item is to be a batch of its own.
    """
    sizes = Sizes(first)
    pending: dict[Future[tuple[R, float]], list[T]] = {}
    suspects: list[list[T]] = []

    for batch in _batches(items, sizes, alone):
        if executor is None:
            done = Done(batch, *_timed(work, batch))
            sizes.learn(len(batch), done.seconds)
            yield done
            continue
        pending[executor.submit(_timed, work, batch)] = batch
        while len(pending) >= IN_FLIGHT:
            yield from _finished(pending, suspects, sizes)
    while pending:
        yield from _finished(pending, suspects, sizes)
    if executor is not None:
        for batch in suspects:
            yield from _alone(batch, work, executor)


def _batches(items: Iterable[T], sizes: Sizes, alone: Callable[[T], bool]) -> Iterator[list[T]]:
    batch: list[T] = []
    for item in items:
        if alone(item):
            yield [item]
            continue
        batch.append(item)
        if len(batch) >= sizes.size:
            yield batch
            batch = []
    if batch:
        yield batch


def _timed(work: Callable[[list[T]], R], batch: list[T]) -> tuple[R, float]:
    started = time.perf_counter()
    return work(batch), time.perf_counter() - started


def _finished(
    pending: dict[Future[tuple[R, float]], list[T]], suspects: list[list[T]], sizes: Sizes
) -> Iterator[Done[T, R]]:
    ready, _ = wait(pending, return_when=FIRST_COMPLETED)
    for future in ready:
        batch = pending.pop(future)
        try:
            result, seconds = future.result()
        except BrokenExecutor:
            suspects.append(batch)
            continue
        sizes.learn(len(batch), seconds)
        yield Done(batch, result, seconds)


def _alone(
    batch: list[T], work: Callable[[list[T]], R], executor: Executor
) -> Iterator[Done[T, R]]:
    """Nothing else runs meanwhile, so what breaks the executor is this batch."""
    tries = _TRIES if len(batch) == 1 else 1
    for _ in range(tries):
        try:
            yield Done(batch, *executor.submit(_timed, work, batch).result())
        except BrokenExecutor:
            continue
        return
    if len(batch) == 1:
        yield Done(batch, None)
        return
    for item in batch:
        yield from _alone([item], work, executor)
