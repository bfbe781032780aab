"""Batches on executors: sizes, lost workers, and the item that kills whatever runs it."""

from __future__ import annotations

import os
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from compatload.errors import UsageError
from compatload.executors.batches import LARGEST, Sizes, carried_out
from compatload.executors.named import Processes, executor_of


def doubled(batch: list[int]) -> list[int]:
    return [2 * item for item in batch]


def deadly(batch: list[int]) -> list[int]:
    if 13 in batch:
        os.kill(os.getpid(), signal.SIGKILL)
    return doubled(batch)


def deadly_once(batch: list[str]) -> list[str]:
    for item in batch:
        if not os.path.exists(item):
            Path(item).touch()
            os.kill(os.getpid(), signal.SIGKILL)
    return batch


def results(items, work, executor):
    done = list(carried_out(items, work, executor, first=4))
    lost = [one.items for one in done if one.result is None]
    return sorted(item for one in done for item in one.result or ()), lost


def test_all_executors_give_the_same() -> None:
    wanted = [2 * number for number in range(500)]
    assert results(range(500), doubled, None) == (wanted, [])
    with ThreadPoolExecutor(2) as threads, Processes(2) as processes:
        assert results(range(500), doubled, threads) == (wanted, [])
        assert results(range(500), doubled, processes) == (wanted, [])


def test_one_item_that_kills_is_found_and_nothing_else_is_lost() -> None:
    with Processes(2) as processes:
        found, lost = results(range(100), deadly, processes)
    assert lost == [[13]]
    assert found == [2 * number for number in range(100) if number != 13]


def test_the_batch_of_a_worker_that_died_runs_again(tmp_path: Path) -> None:
    items = [str(tmp_path / str(number)) for number in range(3)]
    with Processes(2) as processes:
        found, lost = results(items, deadly_once, processes)
    assert (found, lost) == (items, [])


def test_batches_grow_to_seconds_and_shrink() -> None:
    sizes = Sizes(16)
    for _ in range(10):
        sizes.learn(sizes.size, sizes.size * 0.0001)
    assert sizes.size == LARGEST
    sizes.learn(LARGEST, 5000.0)
    assert sizes.size == 1


def test_an_item_alone() -> None:
    done = carried_out(range(9), doubled, None, first=4, alone=lambda item: item == 2)
    assert sorted(one.items for one in done) == [[0, 1, 3, 4, 5, 6, 7, 8], [2]]


def test_workers_die_with_the_parent(tmp_path: Path) -> None:
    """A killed run leaves nobody behind that writes on."""
    pids = tmp_path / "pids"
    parent = os.fork()
    if parent == 0:
        with Processes(1) as processes:
            processes.submit(_tell_and_sleep, str(pids)).result()
        os._exit(0)
    while not pids.exists():
        time.sleep(0.02)
    os.kill(parent, signal.SIGKILL)
    os.waitpid(parent, 0)
    child = int(pids.read_text())
    for _ in range(200):
        if not _is_running(child):
            return
        time.sleep(0.02)
    pytest.fail("the worker lives on")


def _tell_and_sleep(path: str) -> None:
    made = Path(path + ".new")
    made.write_text(str(os.getpid()))
    made.rename(path)
    time.sleep(60)


def _is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().split(")")[-1].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.parametrize("name", ["spark://here:1", "dask", "ray://", "dask://127.0.0.1:1"])
def test_names_of_no_executor(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError), executor_of(name, 1):
        pass
