"""Children die with their parent, cannot flood it, and tell how they ended."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
import tracemalloc
from pathlib import Path

import pytest

from compatload.trials.children import HEAD, TAIL, Child, End, run

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="no process guards a child there")

ROOT = Path(__file__).resolve().parents[2]
ACTS = "tests.trials.acts"
_PARENT = """
import sys
sys.path.insert(0, sys.argv[1])
from compatload.trials.children import run
run(sys.argv[2], sys.argv[3], timeout=60)
"""


def is_there(number: int) -> bool:
    try:
        state = Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def numbers(told: Path) -> list[int]:
    until = time.monotonic() + 30
    while not told.exists():
        assert time.monotonic() < until
        time.sleep(0.02)
    return [int(number) for number in told.read_text().split()]


def gone_within(seconds: float, processes: list[int]) -> bool:
    until = time.monotonic() + seconds
    while any(map(is_there, processes)) and time.monotonic() < until:
        time.sleep(0.02)
    return not any(map(is_there, processes))


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks processes up in /proc")
@pytest.mark.parametrize("act", ["sleep", "hold", "print_on"])
def test_child_and_grandchild_die_with_a_parent_that_is_killed(tmp_path: Path, act: str) -> None:
    told = tmp_path / "told"
    parent = subprocess.Popen(
        [sys.executable, "-c", _PARENT, str(ROOT), f"{ACTS}:{act}", str(told)],
        stdin=subprocess.DEVNULL,
    )
    family = numbers(told)
    assert all(map(is_there, family))
    parent.kill()
    parent.wait()
    assert gone_within(2, family)


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks processes up in /proc")
def test_a_child_whose_pipe_somebody_else_holds_dies_too(tmp_path: Path) -> None:
    """A process that the parent forked has the other end of it as well."""
    told = tmp_path / "told"
    script = _PARENT.replace(
        "run(sys",
        "import os, threading, time\n"
        "threading.Timer(1, lambda: os.fork() or time.sleep(20)).start()\nrun(sys",
    )
    parent = subprocess.Popen([sys.executable, "-c", script, str(ROOT), f"{ACTS}:sleep", str(told)])
    family = numbers(told)
    time.sleep(1.5)
    parent.kill()
    parent.wait()
    assert gone_within(2, family)


@pytest.mark.parametrize("act", ["sleep", "hold", "leave_one_behind"])
def test_nobody_is_left_when_the_time_is_up(tmp_path: Path, act: str) -> None:
    told = tmp_path / "told"
    end = run(f"{ACTS}:{act}", str(told), timeout=2)
    assert (end.status is None) == (act != "leave_one_behind")
    assert gone_within(2, numbers(told))


def interrupted(running: list[int]) -> None:
    assert running
    raise KeyboardInterrupt


def test_an_interrupted_parent_leaves_nobody(tmp_path: Path) -> None:
    told = tmp_path / "told"
    with pytest.raises(KeyboardInterrupt), Child(f"{ACTS}:sleep", str(told)):
        interrupted(numbers(told))
    assert gone_within(2, numbers(told))


def test_a_flood_of_output_is_kept_shortened() -> None:
    tracemalloc.start()
    try:
        end = run(f"{ACTS}:print_much", "1024", timeout=120)
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()
    assert len(end.said) < HEAD + TAIL + 100
    assert end.said.startswith("first words\n")
    assert f"{(1 << 30) + 35 - HEAD - TAIL} bytes left out" in end.said
    assert (end.last_line, end.status) == ("ValueError: last words", 3)


@pytest.mark.parametrize(
    ("act", "arguments", "how"),
    [
        ("die", ("SIGSEGV",), "killed by SIGSEGV"),
        ("die", ("SIGKILL",), "killed by SIGKILL"),
        ("die", ("SIGTERM",), "killed by SIGTERM"),
        ("read_input", (), "ended with status 0"),
        ("nothing_there", (), "ended with status 1"),
    ],
)
def test_how_it_ended(act: str, arguments: tuple[str, ...], how: str) -> None:
    assert run(f"{ACTS}:{act}", *arguments, timeout=60).how == how


def test_the_line_that_tells() -> None:
    said = "Traceback\nValueError: bad\n--------\n[operator < conv2d > error]\n"
    assert End(1, said).telling_line == "ValueError: bad"
    assert End(1, said).last_line == "[operator < conv2d > error]"
    assert End(-99).how == "killed by signal 99"


def test_many_at_once_end_each_by_itself(tmp_path: Path) -> None:
    ends: list[End] = []
    threads = [
        threading.Thread(target=lambda: ends.append(run(f"{ACTS}:die", "SIGSEGV", timeout=60)))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [end.status for end in ends] == [-signal.SIGSEGV] * 4
