"""Executors by name: ``4`` processes here, ``dask://host:port``, ``ray://host:port``.

Each raises BrokenExecutor for work that was lost with its process, and goes on with the next.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor
from contextlib import contextmanager
from typing import Any, TypeVar

from compatload.errors import UsageError
from compatload.trials.tether import die_with

R = TypeVar("R")

_FORMS = 'Write "dask://host:port", "ray://host:port", "ray://auto" or "ray://local".'


@contextmanager
def executor_of(name: str | None, jobs: int) -> Iterator[Executor | None]:
    """The executor that ``name`` stands for; None: ``jobs`` processes, or this thread for one.

    Raises:
        UsageError: there is no such executor, or nobody answers there.
    """
    if name is None and jobs == 1:
        yield None
        return
    with Processes(jobs) if name is None else _named(name) as executor:
        yield executor


class Processes(Executor):
    """Processes of this machine that die with this one; a pool that broke is made anew."""

    def __init__(self, jobs: int) -> None:
        self._jobs = jobs
        self._pool = self._new()

    def _new(self) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(self._jobs, initializer=die_with, initargs=(os.getpid(),))

    def submit(self, fn: Callable[..., R], /, *args: Any, **kwargs: Any) -> Future[R]:
        try:
            return self._pool.submit(fn, *args, **kwargs)
        except BrokenExecutor:
            self._pool.shutdown(wait=False)
            self._pool = self._new()
            return self._pool.submit(fn, *args, **kwargs)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        self._pool.shutdown(wait, cancel_futures=cancel_futures)


def _named(name: str) -> Executor:
    kind, separator, place = name.partition("://")
    if not separator or kind not in ("dask", "ray") or not place:
        raise UsageError(f"{name!r} is no executor.", action=_FORMS)
    try:
        return Dask(place) if kind == "dask" else Ray(place)
    except ImportError as error:
        raise UsageError(
            f"{name} needs {error.name or kind}, which is not installed.",
            action=f'Run pip install "compatload[{kind}]".',
        ) from error
    except Exception as error:  # what their clients raise where nobody answers is of no one kind
        raise UsageError(
            f"{name} cannot be reached: {error}", action="Check the address, and that it runs."
        ) from error


class _Cluster(Executor):
    """Futures of a cluster, with the errors that stand for a lost worker as BrokenExecutor."""

    _is_lost: Callable[[BaseException], bool]

    def _told(self, inner: Any) -> Future[Any]:
        outer: Future[Any] = Future()
        outer.set_running_or_notify_cancel()

        def told(done: Any) -> None:
            error = done.exception()
            if error is None:
                outer.set_result(done.result())
            elif self._is_lost(error):
                lost = BrokenExecutor(str(error))
                lost.__cause__ = error
                outer.set_exception(lost)
            else:
                outer.set_exception(error)

        inner.add_done_callback(told)
        return outer


class Dask(_Cluster):
    """A cluster of dask.distributed; the scheduler runs what a lost worker had again by itself."""

    def __init__(self, place: str) -> None:
        from distributed import Client
        from distributed.scheduler import KilledWorker

        self._is_lost = lambda error: isinstance(error, KilledWorker)
        address = place if "://" in place else f"tcp://{place}"
        self._client = Client(address, timeout=20, set_as_default=False)

    def submit(self, fn: Callable[..., R], /, *args: Any, **kwargs: Any) -> Future[R]:
        return self._told(self._client.get_executor(pure=False).submit(fn, *args, **kwargs))

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        self._client.close()


class Ray(_Cluster):
    """A Ray cluster: ``auto`` is the one that this machine belongs to, ``local`` a new one here."""

    def __init__(self, place: str) -> None:
        import ray
        from ray.exceptions import RayError, RayTaskError

        # A task's own error is one of Ray's as well.
        self._is_lost = lambda e: isinstance(e, RayError) and not isinstance(e, RayTaskError)
        self._ray = ray
        if place == "local":
            ray.init(address=place, log_to_driver=False, include_dashboard=False)
        else:
            ray.init(address=place if place == "auto" else f"ray://{place}", log_to_driver=False)
        self._call = ray.remote(max_retries=1)(_call)  # batches see to the rest

    def submit(self, fn: Callable[..., R], /, *args: Any, **kwargs: Any) -> Future[R]:
        return self._told(self._call.remote(fn, args, kwargs).future())

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        self._ray.shutdown()


def _call(fn: Callable[..., R], args: tuple[Any, ...], kwargs: dict[str, Any]) -> R:
    return fn(*args, **kwargs)
