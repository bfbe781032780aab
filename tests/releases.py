"""The real Paddle releases that tests run in.

``COMPATLOAD_TEST_RELEASES`` names them, separated by commas, or says ``all``; without it, the
oldest, the first and the newest. Environments are made once and kept (see matrix.environments).
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from functools import cache
from pathlib import Path

from matrix.environments import ensure
from matrix.releases import REPRESENTATIVES
from matrix.versions import entries, of_tier

FORK_SERVER = Path(__file__).with_name("fork_server.py")
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


def run_in(
    release: str, script: Path, *arguments: str, seconds: float = 300, anew: bool = False
) -> str:
    """Standard output of a script in that release; AssertionError with all of it if it fails.

    It runs in a process of its own, which has imported Paddle already unless it is asked for
    ``anew``: a script that sets flags first, or looks at the import itself, has to ask.
    """
    if anew:
        done = subprocess.run(
            [python_of(release), str(script), *arguments],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=seconds,
            check=False,
            env=_environment(),
        )
        status, said, complained = done.returncode, done.stdout, done.stderr
    else:
        status, said, complained = _server(release).run(script, arguments, seconds)
    assert status == 0, (said + complained)[-3000:]
    return said


def _environment() -> dict[str, str]:
    return {**os.environ, "OMP_NUM_THREADS": "1", "GLOG_minloglevel": "3"}


class _Server:
    """A process of that release that forks one for each script (``tests/fork_server.py``)."""

    def __init__(self, release: str) -> None:
        self._process = subprocess.Popen(
            [python_of(release), str(FORK_SERVER)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=_environment(),
        )

    def run(self, script: Path, arguments: tuple[str, ...], seconds: float) -> tuple[int, str, str]:
        """Exit status, standard output and error of a script."""
        to, back = self._process.stdin, self._process.stdout
        assert to is not None
        assert back is not None
        with tempfile.TemporaryDirectory() as folder:
            files = [str(Path(folder, name)) for name in ("output", "errors")]
            asked = {
                "script": str(script),
                "arguments": arguments,
                "directory": os.getcwd(),
                "environment": _environment(),
                "seconds": seconds,
                "files": files,
            }
            print(json.dumps(asked), file=to, flush=True)
            status = int(back.readline())
            said, complained = (Path(one).read_text(errors="replace") for one in files)
        return status, said, complained


@cache
def _server(release: str) -> _Server:
    return _Server(release)
