"""``check`` on two workers of Dask or Ray against one process, in turns, on the same models."""

from __future__ import annotations

import contextlib
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import Executor
from pathlib import Path
from statistics import median

import psutil

from benchmarks.fleet.results import keep
from benchmarks.fleet.zoo import many
from compatload.checking.check import check
from compatload.checking.finding import CheckReport
from compatload.checking.settings import Settings
from compatload.executors.named import executor_of

TARGET = "paddle==3.3.1"


@contextlib.contextmanager
def cluster(kind: str) -> Iterator[str]:
    """The name of one with two workers of one thread."""
    if kind == "processes":
        yield ""
        return
    if kind == "ray":
        yield "ray://local"
        return
    from distributed import LocalCluster

    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as local:
        yield f"dask://{local.scheduler_address.removeprefix('tcp://')}"


def measure(kind: str, models: int = 5000, turns: int = 3) -> None:
    with tempfile.TemporaryDirectory(prefix="compatload-fleet-") as name:
        many(Path(name), models)
        tree = Path(name, "fleet")
        with cluster(kind) as there, executor_of(there or None, 2) as executor:
            began = time.perf_counter()
            _warm(executor)
            started = time.perf_counter() - began
            rows, equal = [], True
            for _ in range(turns):
                alone, here = _timed(tree, None)
                shared, away = _timed(tree, executor)
                equal = equal and alone == shared
                rows.append({"alone": here, "two workers": away})
                print(kind, rows[-1], flush=True)
    ratios = [row["alone"]["seconds"] / row["two workers"]["seconds"] for row in rows]
    keep(
        kind,
        {
            "models": len(alone.models),
            "equal": equal,
            "seconds until both workers had begun": round(started, 1),
            "turns": rows,
            "times one process": round(median(ratios), 2),
        },
    )


def _timed(tree: Path, executor: Executor | None) -> tuple[CheckReport, dict[str, float]]:
    """``processor``: seconds of this process, and of all that it started."""
    before, began = _processor(), time.perf_counter()
    report = check([tree], target=TARGET, settings=Settings(), executor=executor)
    took, after = time.perf_counter() - began, _processor()
    return report, {
        "seconds": round(took, 1),
        "processor here": round(after[0] - before[0], 1),
        "processor of children": round(after[1] - before[1], 1),
    }


def _processor() -> tuple[float, float]:
    here = psutil.Process()
    spent = 0.0
    for child in here.children(recursive=True):
        with contextlib.suppress(psutil.Error):
            times = child.cpu_times()
            spent += times.user + times.system
    return time.process_time(), spent


def _warm(executor: Executor | None) -> None:
    """Both workers have imported what a check needs: each holds one of two long tasks."""
    if executor is None:
        return
    while len({one.result() for one in [executor.submit(_slow) for _ in range(4)]}) < 2:
        pass


def _slow() -> int:
    import os
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        many(Path(folder), 30)
        check([Path(folder, "fleet")], target=TARGET, settings=Settings())
    time.sleep(0.5)
    return os.getpid()
