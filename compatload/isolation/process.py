"""The parent's side of a preflight: a child, its time limit, and how it ended."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from compatload.frozen import frozen
from compatload.isolation.child import LOG, OUTCOME, PROGRESS, TASK

_LOG_BYTES = 4000
_LARGEST = 1 << 20
# Importing Paddle takes 1 to 3 seconds, and far longer on a machine that is busy.
_START_LIMIT = 300.0
_POLL = 0.02
_START = (
    "import sys; sys.path.insert(0, sys.argv[1]); "
    "from compatload.isolation.child import main; main()"
)


@frozen
class Ending:
    """How a child ended.

    ``kind``: ``agrees``, ``differs``, ``error``, ``artifact``, ``no reference``, ``died`` or
    ``hangs``. ``phase`` and ``choice`` tell what it was at when it died.
    """

    kind: str
    cause: str = ""
    phase: str = "step"
    choice: int = 0


def run_child(directory: Path, task: Mapping[str, Any], timeout: float) -> Ending:
    """Start a child on ``task`` in ``directory`` and wait; ``timeout`` is for each phase.

    Raises OSError if it cannot be started.
    """
    for name in (OUTCOME, PROGRESS):
        (directory / name).unlink(missing_ok=True)
    (directory / TASK).write_text(json.dumps(dict(task)))
    root = str(Path(__file__).resolve().parents[2])
    with (directory / LOG).open("wb") as log:
        child = subprocess.Popen(  # noqa: S603 - our own interpreter and code
            [sys.executable, "-c", _START, root],
            cwd=directory,
            env={**os.environ, "GLOG_minloglevel": "3"},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            code = _wait(child, directory / PROGRESS, timeout)
        finally:
            _end(child)
    at = _said(directory / PROGRESS)
    phase, choice = str(at.get("phase", "start")), at.get("choice", 0)
    where = Ending("hangs", phase=phase, choice=choice if isinstance(choice, int) else 0)
    if code is None:
        return Ending("hangs", f"no end within {timeout:g} seconds", where.phase, where.choice)
    outcome = _said(directory / OUTCOME)
    if "ended" in outcome:
        return Ending(str(outcome["ended"]), str(outcome.get("cause", "")))
    return Ending("died", _how_it_died(directory, code), where.phase, where.choice)


def _wait(child: subprocess.Popen[bytes], progress: Path, timeout: float) -> int | None:
    """The child's exit status; None if it stays in one phase for longer than ``timeout``."""
    said, since, allowed = b"", time.monotonic(), max(timeout, _START_LIMIT)
    while (code := child.poll()) is None:
        time.sleep(_POLL)
        now = _bytes(progress)
        if now != said:
            said, since, allowed = now, time.monotonic(), timeout
        elif time.monotonic() - since > allowed:
            return None
    return code


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


def _end(child: subprocess.Popen[bytes]) -> None:
    """No child outlives its preflight, whatever interrupts the parent."""
    if child.poll() is None:
        child.kill()
        child.wait()


def _said(path: Path) -> dict[str, Any]:
    """What the child wrote; nothing if that cannot be read."""
    try:
        if path.stat().st_size > _LARGEST:
            return {}
        said = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return said if isinstance(said, dict) else {}


def _how_it_died(directory: Path, code: int) -> str:
    if code < 0:
        try:
            return f"killed by {signal.Signals(-code).name}"
        except ValueError:
            return f"killed by signal {-code}"
    with (directory / LOG).open("rb") as log:
        log.seek(max(0, os.path.getsize(directory / LOG) - _LOG_BYTES))
        lines = [line.strip() for line in log.read().decode(errors="replace").splitlines()]
    last = next((line for line in reversed(lines) if line), "it said nothing")
    return f"ended with status {code}: {last[:500]}"
