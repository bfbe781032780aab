from __future__ import annotations

import fcntl
import os
import random
import signal
import time
from contextlib import suppress
from pathlib import Path

import pytest

from compatload.loading import scratch
from compatload.loading.scratch import scratch_directory
from compatload.loading.staging import opens


@pytest.mark.parametrize(
    ("path", "platform", "readable"),
    [
        ("C:/models/model.json", "win32", True),
        ("C:/模型/model.json", "win32", False),
        ("/models/模型/model.json", "linux", True),
    ],
)
def test_paddle_opens_no_path_outside_ascii_on_windows(
    path: str, platform: str, readable: bool
) -> None:
    assert opens(path, platform) is readable


def test_ctrl_c_at_any_moment_leaves_no_directory(tmp_path: Path) -> None:
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    interrupted = 0
    try:
        for _ in range(2000):
            try:
                signal.setitimer(signal.ITIMER_REAL, random.uniform(1e-6, 3e-4))
                with scratch_directory(str(tmp_path)) as directory:
                    os.symlink("nowhere", os.path.join(directory, "link"))
                signal.setitimer(signal.ITIMER_REAL, 0)
            except KeyboardInterrupt:
                interrupted += 1
    finally:
        with suppress(KeyboardInterrupt):
            signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert interrupted > 100
    assert not list(tmp_path.iterdir())


def test_what_a_killed_process_left_is_removed_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ("compatload-load-dead", "compatload-load-live", "compatload-load-new", "other")
    for name in names:
        (tmp_path / name / "nested").mkdir(parents=True)
        if name != "compatload-load-new":
            os.utime(tmp_path / name, (time.time() - 1000,) * 2)
    (tmp_path / "compatload-load-link").symlink_to(tmp_path / "other")
    live = os.open(tmp_path / "compatload-load-live", os.O_RDONLY)
    fcntl.flock(live, fcntl.LOCK_EX)
    monkeypatch.setattr(scratch, "_swept", set())
    with scratch_directory(str(tmp_path)):
        pass
    os.close(live)
    left = {path.name for path in tmp_path.iterdir()}
    assert left == {*names[1:], "compatload-load-link"}
    assert (tmp_path / "other" / "nested").is_dir()
