"""Disks, users and kills: a load gives the right answer, and a log line says what was wrong.

Real Paddles load real models that must be converted, with the cache in every sorry state.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import time
from collections.abc import Iterator
from functools import cache as remembered
from pathlib import Path
from typing import Any

import pytest

from tests.releases import python_of
from tests.small_disk import small_disk

WORKER = Path(__file__).with_name("fault_worker.py")
# Each has to be converted for the other release, and is large enough for the cache.
MODELS = {"2.6.2": "3.3.1/transformer", "3.3.1": "2.6.2/if_else"}
NOBODY = 65534
KILLS = 16
SEED = 6


class Worker:
    """A Paddle that is imported once and loads what it is told to."""

    def __init__(self, release: str) -> None:
        self.model = MODELS[release]
        self.process = subprocess.Popen(
            [python_of(release), str(WORKER)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env={**os.environ, "OMP_NUM_THREADS": "1"},
        )
        assert self._line() == "ready"

    def load(self, cache: Path, **more: Any) -> dict[str, Any]:
        assert self.process.stdin is not None
        order = {"fixture": self.model, "cache": str(cache), **more}
        self.process.stdin.write(json.dumps(order) + "\n")
        self.process.stdin.flush()
        said: dict[str, Any] = json.loads(self._line())
        return said

    def _line(self) -> str:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if line.startswith(("ready", "{")):
                return line.strip()
        raise AssertionError("the worker died")


@remembered
def worker(release: str) -> Worker:
    return Worker(release)


@pytest.fixture(scope="module", autouse=True)
def _workers_end() -> Iterator[None]:
    yield
    for release in MODELS:
        process = worker(release).process
        process.communicate(timeout=60)
    worker.cache_clear()


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    with small_disk(tmp_path / "disk", "4k") as place:
        yield place


@pytest.mark.parametrize("release", MODELS)
def test_with_a_sound_cache_nothing_is_said(release: str, tmp_path: Path) -> None:
    for _ in range(2):
        said = worker(release).load(tmp_path / "cache")
        assert said["outcome"] == "right", said
        assert said["log"] == []
    # The conversion, and the load as it went (loading.recall).
    assert len(list((tmp_path / "cache" / "entries").iterdir())) == 2


@pytest.mark.parametrize("release", MODELS)
def test_a_full_disk(release: str, disk: Path) -> None:
    for _ in range(2):
        said = worker(release).load(disk / "cache")
        assert said["outcome"] == "right", said
        assert any("No space left" in line for line in said["log"]), said


@pytest.mark.parametrize("release", MODELS)
def test_a_read_only_disk(release: str, disk: Path) -> None:
    subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
    said = worker(release).load(disk / "cache")
    assert said["outcome"] == "right", said
    assert any("Read-only" in line for line in said["log"]), said


@pytest.mark.parametrize("release", MODELS)
def test_a_disk_that_vanishes(release: str, tmp_path: Path) -> None:
    place = tmp_path / "cache"
    assert worker(release).load(place)["outcome"] == "right"
    shutil.rmtree(place)
    assert worker(release).load(place)["outcome"] == "right"
    # And where nothing can be made again, since something else has the name.
    shutil.rmtree(place)
    place.write_text("not a directory")
    said = worker(release).load(place)
    assert said["outcome"] == "right"
    assert said["log"]


@pytest.mark.parametrize("release", MODELS)
def test_a_clock_that_is_set_back_and_forth(release: str, tmp_path: Path) -> None:
    decades = 20 * 365 * 86400.0
    for clock in (0.0, decades, 0.0, -decades, 0.0):
        said = worker(release).load(tmp_path / "cache", clock=clock)
        assert said["outcome"] == "right", said
        assert said["log"] == []
    # The conversion, and the load as it went (loading.recall).
    assert len(list((tmp_path / "cache" / "entries").iterdir())) == 2


@pytest.mark.parametrize("release", MODELS)
def test_files_with_the_times_of_a_restored_backup(release: str, tmp_path: Path) -> None:
    place = tmp_path / "cache"
    assert worker(release).load(place)["outcome"] == "right"
    for path in [place, *place.rglob("*")]:
        os.utime(path, (0, 0), follow_symlinks=False)
    # As in an image that was pulled: what is kept is known by its content.
    said = worker(release).load(place)
    assert said["outcome"] == "right", said
    assert said["log"] == []


def test_two_releases_share_a_cache(tmp_path: Path) -> None:
    for _ in range(3):
        for release in MODELS:
            said = worker(release).load(tmp_path / "cache")
            assert said["outcome"] == "right", said
            assert said["log"] == []
    # One model in one release is not the same conversion in another.
    for release in MODELS:
        other = {"fixture": "3.2.2/transformer"}
        said = worker(release).load(tmp_path / "cache", **other)
        assert said["outcome"] == "right", said


@pytest.mark.parametrize("release", MODELS)
def test_two_users_share_a_cache(release: str, tmp_path: Path) -> None:
    if os.getuid() != 0:
        pytest.skip("only root can become somebody else")
    # A place that both can enter; pytest's own belongs to root alone.
    place = Path("/var/tmp") / f"compatload-users-{os.getpid()}-{release}"
    place.mkdir(mode=0o777)
    place.chmod(0o777)
    try:
        assert worker(release).load(place / "cache")["outcome"] == "right"
        # Root's cache is closed to others: they do without, and say so.
        said = worker(release).load(place / "cache", user=NOBODY)
        assert said["outcome"] == "right", said
        assert said["log"], said
        # One that another user made is not trusted by root either.
        said = worker(release).load(place / "theirs", user=NOBODY)
        assert said["outcome"] == "right", said
        said = worker(release).load(place / "theirs")
        assert said["outcome"] == "right", said
        assert any("not safe" in line or "belongs" in line for line in said["log"]), said
    finally:
        shutil.rmtree(place)


@pytest.mark.parametrize("release", MODELS)
def test_kills_at_any_moment(release: str, tmp_path: Path) -> None:
    place = tmp_path / "cache"

    def seconds() -> float:
        started = time.perf_counter()
        assert worker(release).load(place)["outcome"] == "right"
        return time.perf_counter() - started

    # A load that finds its conversion is ten times as fast as one that makes it.
    converting, finding = seconds(), seconds()
    chance = random.Random(SEED)
    outcomes: list[str] = []
    # Some loads are faster than the moment that they were to die at, how many depends on the day.
    while outcomes.count("killed") < KILLS and len(outcomes) < 10 * KILLS:
        fresh = len(outcomes) % 3 == 0
        if fresh:
            shutil.rmtree(place, ignore_errors=True)
        moment = chance.uniform(0, converting if fresh else finding)
        said = worker(release).load(place, kill_after=moment)
        outcomes.append(said["outcome"])
        assert said["outcome"] in ("killed", "right"), said
    assert outcomes.count("killed") == KILLS, outcomes
    said = worker(release).load(place)
    assert said["outcome"] == "right"
    assert said["log"] == []
