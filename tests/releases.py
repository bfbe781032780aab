"""The real Paddle releases that tests run in.

``COMPATLOAD_TEST_RELEASES`` names them, separated by commas, or says ``quick`` (those of the quick
matrix) or ``all`` (one of each series); without it, the oldest and the newest of the quick ones.
"""

from __future__ import annotations

import atexit
import json
import os
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from matrix.environments import ensure
from matrix.releases import REPRESENTATIVES
from matrix.versions import entries, of_tier

ROOT = Path(__file__).resolve().parents[1]
FORK_SERVER = Path(__file__).with_name("fork_server.py")
QUICK = tuple(one.id for one in of_tier("quick", entries()))
Done = subprocess.CompletedProcess[str]


def releases() -> tuple[str, ...]:
    """The releases that this run of the tests covers."""
    asked = os.environ.get("COMPATLOAD_TEST_RELEASES", "")
    named = {"": (QUICK[0], QUICK[-1]), "quick": QUICK, "all": REPRESENTATIVES}
    return named.get(asked) or tuple(part.strip() for part in asked.split(",") if part.strip())


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
    release: str,
    *command: object,
    seconds: float = 300,
    anew: bool = False,
    environment: Mapping[str, str] | None = None,
    given: str = "",
) -> str:
    """Standard output of what :func:`done_in` does; AssertionError with all of it if it fails."""
    done = done_in(
        release, *command, seconds=seconds, anew=anew, environment=environment, given=given
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]
    return done.stdout


def done_in(
    release: str,
    *command: object,
    seconds: float = 300,
    anew: bool = False,
    environment: Mapping[str, str] | None = None,
    given: str = "",
) -> Done:
    """What ``python *command`` does in that release: a script, ``-m module`` or ``-c code``.

    It runs at the root of the repository, with ``given`` as standard input, in a process of its
    own, which has imported Paddle already unless it is asked for ``anew``: what sets flags first,
    or looks at the import itself, has to ask.
    """
    words = [str(word) for word in command]
    around = {**_environment(), **(environment or {})}
    if not anew:
        assert not any(name.startswith("FLAGS_") for name in environment or ()), "too late for it"
        return _server(release).run(words, around, given, seconds)
    return subprocess.run(
        [python_of(release), *words],
        capture_output=True,
        text=True,
        errors="replace",
        timeout=seconds,
        check=False,
        cwd=ROOT,
        env=around,
        input=given,
    )


def _environment() -> dict[str, str]:
    return {**os.environ, "OMP_NUM_THREADS": "1", "GLOG_minloglevel": "3"}


class _Server:
    """A process of that release that forks one for each command (``tests/fork_server.py``)."""

    def __init__(self, release: str) -> None:
        self._process = subprocess.Popen(
            [python_of(release), str(FORK_SERVER)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=_environment(),
        )
        atexit.register(self._process.communicate)  # which ends it

    def run(
        self, words: Sequence[str], environment: Mapping[str, str], given: str, seconds: float
    ) -> Done:
        to, back = self._process.stdin, self._process.stdout
        assert to is not None
        assert back is not None
        with tempfile.TemporaryDirectory() as folder:
            files = [Path(folder, name) for name in ("input", "output", "errors")]
            files[0].write_text(given, encoding="utf-8")
            asked = {
                "command": words,
                "directory": str(ROOT),
                "environment": environment,
                "seconds": seconds,
                "files": [str(one) for one in files],
            }
            print(json.dumps(asked), file=to, flush=True)
            answer = back.readline()
            assert answer, "the process that forks has died, as at an import of compatload's"
            status = int(answer)
            said, complained = (one.read_text(errors="replace") for one in files[1:])
        return Done(words, status, said, complained)


@cache
def _server(release: str) -> _Server:
    return _Server(release)
