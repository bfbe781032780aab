"""The real Paddle releases that tests run in.

``COMPATLOAD_TEST_RELEASES`` names them, separated by commas, or says ``all``; without it, the
oldest, the first and the newest. Environments are made once and kept (see matrix.environments).
"""

from __future__ import annotations

import os
import subprocess
from functools import cache
from pathlib import Path

from matrix.environments import ensure
from matrix.releases import REPRESENTATIVES
from matrix.versions import entries, of_tier

QUICK = tuple(one.id for one in of_tier("quick", entries()))


def releases() -> tuple[str, ...]:
    """The releases that this run of the tests covers."""
    asked = os.environ.get("COMPATLOAD_TEST_RELEASES", "")
    if asked == "all":
        return REPRESENTATIVES
    return tuple(part.strip() for part in asked.split(",") if part.strip()) or QUICK


@cache
def python_of(release: str) -> str:
    """The interpreter of that release's environment, which is made if it is not there."""
    entry = next(entry for entry in entries() if entry.id == release)
    return ensure(entry).python


def saved_by(release: str, folder: Path, script: Path, *arguments: str) -> Path:
    """Where a script of that release has saved its models, which it does once a folder.

    ``said`` beside them is the last line that it printed.
    """
    place = folder / release
    if not place.is_dir():
        place.mkdir()
        said = run_in(release, script, *arguments, str(place)).splitlines()
        (place / "said").write_text(said[-1] if said else "", encoding="utf-8")
    return place


def run_in(release: str, script: Path, *arguments: str, seconds: float = 300) -> str:
    """Standard output of a script in that release; AssertionError with all of it if it fails."""
    done = subprocess.run(
        [python_of(release), str(script), *arguments],
        capture_output=True,
        text=True,
        errors="replace",
        timeout=seconds,
        check=False,
        env={**os.environ, "OMP_NUM_THREADS": "1", "GLOG_minloglevel": "3"},
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]
    return done.stdout
