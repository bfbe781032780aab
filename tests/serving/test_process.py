"""The preflight's child in a real release: it cannot flood its parent, nor outlive it."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from compatload.store.cache import OFF, VARIABLE
from tests.releases import python_of, releases

ROOT = Path(__file__).resolve().parents[2]
MEGABYTES = 100

# Python imports it in every process that finds it on its path; only a child prints.
_PRINTING = f"""
import os, sys
if any("isolation.child" in word for word in sys.orig_argv):
    for _ in range({MEGABYTES}):
        os.write(1, b"word " * (1 << 18) + b"\\n")
"""
_PARENT = """
import sys
sys.path.insert(0, sys.argv[1])
import resource
import compatload
from tests.fixtures.index import fixture
path = str(fixture("3.3.1/classifier").path)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
from compatload.serving.options import InferenceOptions
from compatload.serving.preflight import Preflight
from compatload.loading.request import Request
from compatload.plan import Api
from compatload.runtime.detection import detect_runtime
artifact, runtime = compatload.inspect_artifact(path), detect_runtime()
plan = compatload.plan_load(artifact, runtime, "predictor")
request = Request(path, Api.PREDICTOR, pooled=True)
verdict = Preflight(artifact, runtime, plan, InferenceOptions(), request).verdict()
grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
print(verdict.step, grown < 64 << 10)
"""


def start(release: str, folder: Path) -> subprocess.Popen[str]:
    environment = {
        **os.environ,
        "OMP_NUM_THREADS": "1",
        "PYTHONPATH": str(folder),
        "TMPDIR": str(folder),
        VARIABLE: OFF,
    }
    return subprocess.Popen(
        [python_of(release), "-c", _PARENT, str(ROOT)],
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
    )


def children(folder: Path) -> list[str]:
    """Processes that work in a directory under ``folder``."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if os.readlink(process / "cwd").startswith(str(folder)):
                found.append(process.name)
        except OSError:
            continue
    return found


@pytest.mark.parametrize("release", [one for one in releases() if one == "3.3.1"])
def test_what_a_child_prints_fills_neither_disk_nor_memory(release: str, tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(_PRINTING)
    parent = start(release, tmp_path)
    most = 0
    while parent.poll() is None:
        most = max([most, *sizes(tmp_path)])
        time.sleep(0.05)
    assert parent.communicate()[0].split() == ["0", "True"]
    assert most < 1 << 20


def sizes(place: Path) -> Iterator[int]:
    """Those of all files under a folder in which others come and go meanwhile."""
    for folder, _, names in os.walk(place):
        for name in names:
            with suppress(FileNotFoundError):
                yield os.stat(os.path.join(folder, name)).st_size


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks processes up in /proc")
@pytest.mark.parametrize("release", [one for one in releases() if one == "3.3.1"])
def test_a_child_does_not_outlive_a_parent_that_is_killed(release: str, tmp_path: Path) -> None:
    parent = start(release, tmp_path)
    until = time.monotonic() + 60
    while not children(tmp_path):
        assert time.monotonic() < until
        time.sleep(0.05)
    time.sleep(0.5)  # in the middle of importing Paddle
    parent.kill()
    parent.communicate()
    time.sleep(2)
    assert children(tmp_path) == []
