"""Real clusters by their names; each runs where it is installed.

pip install distributed ray && pytest tests/executors/test_clusters.py
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from compatload import check, migrate
from compatload.checking.settings import Settings
from compatload.executors.named import executor_of
from tests.executors.test_batches import deadly, results
from tests.migration.test_migrate import content

pytestmark = pytest.mark.filterwarnings("default")  # those of their libraries are not ours
FIXTURES = Path(__file__).parents[1] / "fixtures"


@pytest.fixture(params=["dask", "ray"])
def cluster(request: pytest.FixtureRequest) -> Iterator[str]:
    """The name of a cluster with two workers."""
    if request.param == "ray":
        pytest.importorskip("ray")
        yield "ray://local"
        return
    distributed: Any = pytest.importorskip("distributed")
    import dask

    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    # A worker that dies is one too many: the scheduler tries three more by default.
    few_tries = dask.config.set({"distributed.scheduler.allowed-failures": 0})
    workers = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    with few_tries, distributed.LocalCluster(**workers) as local:
        yield f"dask://{local.scheduler_address.partition('://')[2]}"


def test_the_same_as_here_and_what_a_lost_worker_had(cluster: str, tmp_path: Path) -> None:
    with executor_of(cluster, 1) as executor:
        shared = check([FIXTURES / "2.6.2"], target="3.3.1", settings=Settings(), executor=executor)
        source = FIXTURES / "3.3.1"
        to = "paddle==2.6.2"
        migrate(source, tmp_path / "there", to=to, verify=False, executor=executor)
        found, lost = results(range(20), deadly, executor)
    assert shared == check([FIXTURES / "2.6.2"], target="3.3.1", settings=Settings())
    migrate(source, tmp_path / "here", to=to, verify=False)
    assert content(tmp_path / "there") == content(tmp_path / "here")
    assert lost == [[13]]
    assert found == [2 * number for number in range(20) if number != 13]
