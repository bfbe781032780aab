"""The parent's side of a preflight: a child, its time limit, and how it ended."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from compatload.frozen import frozen
from compatload.serving.preflight_child import OUTCOME, PROGRESS, TASK
from compatload.trials.children import Child

_LARGEST = 1 << 20
# Importing Paddle takes 1 to 3 seconds, and far longer on a machine that is busy.
_START_LIMIT = 300.0
_POLL = 0.02
_FUNCTION = "compatload.serving.preflight_child:main"


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


def run_child(
    directory: Path, task: Mapping[str, Any], timeout: float, function: str = _FUNCTION
) -> Ending:
    """Start a child on ``task`` in ``directory`` and wait; ``timeout`` is for each phase.

    Raises OSError if it cannot be started.
    """
    for name in (OUTCOME, PROGRESS):
        (directory / name).unlink(missing_ok=True)
    (directory / TASK).write_text(json.dumps(dict(task)))
    environment = {**os.environ, "GLOG_minloglevel": "3"}
    with Child(function, directory=directory, environment=environment) as child:
        in_time = _wait(child, directory / PROGRESS, timeout)
        end = child.end()
    at = _said(directory / PROGRESS)
    phase, choice = str(at.get("phase", "start")), at.get("choice", 0)
    where = Ending("hangs", phase=phase, choice=choice if isinstance(choice, int) else 0)
    if not in_time:
        return Ending("hangs", f"no end within {timeout:g} seconds", where.phase, where.choice)
    outcome = _said(directory / OUTCOME)
    if "ended" in outcome:
        return Ending(str(outcome["ended"]), str(outcome.get("cause", "")))
    cause = end.how
    if end.status is not None and end.status >= 0:
        cause += f": {end.last_line or 'it said nothing'}"
    return Ending("died", cause, where.phase, where.choice)


def _wait(child: Child, progress: Path, timeout: float) -> bool:
    """Whether it ends by itself; not if it stays in one phase for longer than ``timeout``."""
    said, since, allowed = b"", time.monotonic(), max(timeout, _START_LIMIT)
    while not child.has_ended():
        time.sleep(min(_POLL, timeout))
        now = _bytes(progress)
        if now != said:
            said, since, allowed = now, time.monotonic(), timeout
        elif time.monotonic() - since > allowed:
            return False
    return True


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


def _said(path: Path) -> dict[str, Any]:
    """What the child wrote; nothing if that cannot be read."""
    try:
        if path.stat().st_size > _LARGEST:
            return {}
        said = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return said if isinstance(said, dict) else {}
