"""A check shared out over a real dask.distributed cluster; runs where dask is installed.

pip install distributed && pytest tests/checking/test_dask.py
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from concurrent.futures import Executor
from pathlib import Path
from typing import Any

import pytest

from compatload.checking.check import check
from compatload.checking.settings import Settings

distributed: Any = pytest.importorskip("distributed")
pytestmark = pytest.mark.filterwarnings("default")  # those of dask itself are not ours

FIXTURES = Path(__file__).parents[1] / "fixtures"
WORKERS = 3
COPIES = 2


@pytest.fixture(scope="module")
def zoo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every fixture several times over: some two hundred models."""
    folder = tmp_path_factory.mktemp("zoo")
    for number in range(COPIES):
        for release in FIXTURES.iterdir():
            if release.is_dir() and release.name[0].isdigit():
                shutil.copytree(release, folder / str(number) / release.name)
    return folder


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    local = distributed.LocalCluster(
        n_workers=WORKERS, threads_per_worker=1, processes=True, dashboard_address=None
    )
    with local, distributed.Client(local) as client:
        client.wait_for_workers(WORKERS)
        yield client


def test_the_report_is_the_same_as_without(zoo: Path, cluster: Any) -> None:
    executor: Executor = cluster.get_executor(pure=False)
    shared = check([zoo], target="3.3.1", settings=Settings(), executor=executor)
    assert shared == check([zoo], target="3.3.1", settings=Settings())
    assert shared.checked["artifact"] >= 100 * COPIES
    assert len(shared.models) == shared.checked["artifact"]


def test_every_worker_has_a_share(zoo: Path, cluster: Any) -> None:
    before = cluster.run(_finished)
    executor = cluster.get_executor(pure=False)
    check([zoo], target="3.3.1", settings=Settings(), executor=executor)
    after = cluster.run(_finished)
    assert len(after) == WORKERS
    assert all(after[worker] > before[worker] for worker in after), (before, after)


def _finished(dask_worker: Any) -> float:
    """Seconds of CPU that a worker has spent on tasks so far."""
    times = dask_worker.digests_total.items()
    return float(sum(value for key, value in times if "execute" in key and "thread-cpu" in key))
