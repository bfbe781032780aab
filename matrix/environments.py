"""One virtual environment for each entry, made once and used again.

``COMPATLOAD_MATRIX_HOME`` is where everything lies that a run makes (default
``~/.cache/compatload-matrix``); ``COMPATLOAD_MATRIX_ENVS`` may name a folder of environments that
are there already, as ``<id>/bin/python``. ``uv`` is used where it is installed, else ``venv``
and ``pip``.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

import filelock

from matrix.versions import Entry

# What compatload and the worker need beside Paddle.
NEEDED = ("packaging>=22", "filelock>=3.12", "protobuf>=3.20.2")
INSTALL_SECONDS = 1800
# Compiled once here, instead of in every process that imports Paddle.
UV_INSTALL = ("uv", "pip", "install", "--quiet", "--compile-bytecode")


class EnvironmentUnavailableError(Exception):
    """An entry cannot be installed here; the message says why, in one line."""


@dataclass(frozen=True)
class Environment:
    """An installed Paddle. ``record_sha256`` is the hash of the wheel's RECORD, which lists the
    hash of each of its files; ``packages`` is every distribution with its version."""

    id: str
    python: str
    record_sha256: str
    packages: tuple[str, ...]

    @property
    def digest(self) -> str:
        """Changes whenever anything installed changes."""
        return hashlib.sha256("\n".join(self.packages).encode()).hexdigest()[:12]


def home() -> Path:
    """Where environments, saved networks and the journal lie."""
    default = Path("~/.cache/compatload-matrix").expanduser()
    return Path(os.environ.get("COMPATLOAD_MATRIX_HOME") or default)


@contextmanager
def exclusive(folder: Path) -> Iterator[None]:
    """Nobody else makes that folder meanwhile: tests and runs start several processes at once."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with filelock.FileLock(f"{folder}.lock"):
        yield


def ensure(entry: Entry) -> Environment:
    """The environment of an entry, made if need be.

    Raises:
        EnvironmentUnavailableError: no interpreter, no wheel, no network, no space.
    """
    ready = os.environ.get("COMPATLOAD_MATRIX_ENVS")
    if ready and (Path(ready) / entry.environment / "bin/python").exists():
        return describe(entry, Path(ready) / entry.environment)
    folder = home() / "envs" / entry.environment
    try:
        with exclusive(folder):
            if not _is_complete(entry, folder):
                install(entry, folder)
    except OSError as error:
        raise EnvironmentUnavailableError(f"{entry.id}: {error.strerror or error}") from error
    return describe(entry, folder)


def installed(entry: Entry) -> bool:
    """Whether ``ensure`` has nothing to make."""
    ready = os.environ.get("COMPATLOAD_MATRIX_ENVS")
    if ready and (Path(ready) / entry.environment / "bin/python").exists():
        return True
    return _is_complete(entry, home() / "envs" / entry.environment)


def install(entry: Entry, folder: Path) -> None:
    """Make the environment from nothing; it counts only once it is complete."""
    shutil.rmtree(folder, ignore_errors=True)
    packages = [*entry.requirements, *NEEDED]
    if shutil.which("uv"):
        version = next((v for v in entry.pythons if _succeeds(["uv", "python", "find", v])), None)
        if version is None:
            raise EnvironmentUnavailableError(_no_interpreter(entry))
        _run(entry, ["uv", "venv", "--quiet", "--python", version, str(folder)])
        _run(entry, [*UV_INSTALL, "--python", _python(folder), *packages])
    else:
        python = next((p for v in entry.pythons if (p := _interpreter(v))), None)
        if python is None:
            raise EnvironmentUnavailableError(_no_interpreter(entry))
        _run(entry, [python, "-m", "venv", str(folder)])
        _run(entry, [_python(folder), "-m", "pip", "install", "--quiet", *packages])
    (folder / ".complete").write_text(_wanted(entry), encoding="utf-8")


def _wanted(entry: Entry) -> str:
    """What has to be installed; an environment made for another list is made again."""
    return "\n".join((*entry.requirements, *NEEDED))


def _is_complete(entry: Entry, folder: Path) -> bool:
    try:
        return (folder / ".complete").read_text(encoding="utf-8") == _wanted(entry)
    except OSError:
        return False


def describe(entry: Entry, folder: Path) -> Environment:
    """What is installed, read by the environment's own interpreter without importing Paddle."""
    script = (
        "import hashlib, json, sys\n"
        "from importlib.metadata import distribution, distributions\n"
        "record = distribution(sys.argv[1]).read_text('RECORD') or ''\n"
        "lines = sorted(x for x in record.split('\\n') if ',,' not in x and 'dist-info' not in x)\n"
        "print(json.dumps([hashlib.sha256('\\n'.join(lines).encode()).hexdigest(),\n"
        "  sorted({f\"{d.metadata['Name']}=={d.version}\" for d in distributions()})]))\n"
    )
    # Isolated, or a checkout that it is called from counts as a distribution (its egg-info).
    found = subprocess.run(
        [_python(folder), "-I", "-c", script, entry.distribution],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    if found.returncode:
        raise EnvironmentUnavailableError(f"{entry.id}: {_last_line(found.stderr)}")
    digest, packages = json.loads(found.stdout)
    return Environment(entry.id, _python(folder), digest, tuple(packages))


def described(environment: Environment) -> dict[str, object]:
    """For the results: everything but paths of this machine."""
    return {name: value for name, value in asdict(environment).items() if name != "python"}


def _python(folder: Path) -> str:
    return str(folder / "bin/python")


def _interpreter(version: str) -> str | None:
    if version == f"{sys.version_info.major}.{sys.version_info.minor}":
        return sys.executable
    return shutil.which(f"python{version}")


def _no_interpreter(entry: Entry) -> str:
    return f"{entry.id}: no interpreter of {', '.join(entry.pythons)} is installed"


def _succeeds(command: list[str]) -> bool:
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def _run(entry: Entry, command: list[str]) -> None:
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=INSTALL_SECONDS, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise EnvironmentUnavailableError(f"{entry.id}: {command[0]} took too long") from error
    if done.returncode:
        reason = _last_line(done.stderr) or f"{command[0]} failed"
        raise EnvironmentUnavailableError(f"{entry.id}: {reason}")


def _last_line(text: str) -> str:
    lines = [line.strip(" │╰─▶×\t") for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else ""
