"""Measures ``check`` on a real cluster: python -m tests.executors.clusters dask|ray MODELS.

Not a test of the suite: it makes thousands of models. Says seconds alone and on two workers.
"""

from __future__ import annotations

import contextlib
import resource
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from compatload.checking.check import check
from compatload.checking.settings import Settings
from compatload.executors.named import executor_of

FIXTURES = Path(__file__).parents[1] / "fixtures"


def zoo(folder: Path, models: int) -> Path:
    """As many models, copied from the fixtures; weights are links to one file."""
    kinds = [one for one in sorted(FIXTURES.glob("[23].*/*")) if (one / "case.json").exists()]
    for number in range(models):
        kind = kinds[number % len(kinds)]
        shutil.copytree(
            kind,
            folder / f"{number // 100}" / f"{number}",
            ignore=shutil.ignore_patterns("io.npz", "case.json"),
        )
    return folder


@contextlib.contextmanager
def cluster(kind: str) -> Iterator[str]:
    if kind == "ray":
        yield "ray://local"
        return
    from distributed import LocalCluster

    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as local:
        yield f"dask://{local.scheduler_address.removeprefix('tcp://')}"


def main(kind: str, models: str) -> None:
    with tempfile.TemporaryDirectory() as place, cluster(kind) as name:
        tree = zoo(Path(place), int(models))
        with executor_of(name, 1) as executor:
            check([tree / "0"], target="3.3.1", settings=Settings(), executor=executor)  # imports
            began = time.perf_counter()
            shared = check([tree], target="3.3.1", settings=Settings(), executor=executor)
            there = time.perf_counter() - began
        began = time.perf_counter()
        alone = check([tree], target="3.3.1", settings=Settings())
        here = time.perf_counter() - began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    print(
        f"{kind}: {len(alone.models)} models, equal {shared == alone}, alone {here:.1f} s, "
        f"two workers {there:.1f} s, {here / there:.2f} times; peak {peak} MiB"
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
