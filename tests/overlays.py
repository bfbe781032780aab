"""A Paddle release with more packages: the release's own environment stays as it is."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest

from matrix.environments import exclusive, home
from tests.releases import python_of

SECONDS = 900


@cache
def overlay(release: str, packages: tuple[str, ...]) -> str:
    """An interpreter that has a release of Paddle and ``packages``, made once and kept.

    ``packages`` are installed without what they depend on, so that NumPy and Paddle stay those of
    the release. The test is skipped where they cannot be had.
    """
    name = hashlib.sha256("\n".join(packages).encode()).hexdigest()[:12]
    folder = home() / "overlays" / f"{release}-{name}"
    with exclusive(folder):
        if not (folder / ".complete").exists():
            _make(folder, release, packages)
    return str(folder / "bin" / "python")


def _make(folder: Path, release: str, packages: tuple[str, ...]) -> None:
    if shutil.which("uv") is None:
        pytest.skip("no uv to make an environment with")
    shutil.rmtree(folder, ignore_errors=True)
    below = python_of(release)
    _run("uv", "venv", "--quiet", "--python", below, str(folder))
    places = subprocess.run(
        [below, "-c", "import site; print(site.getsitepackages()[0])"],
        capture_output=True,
        text=True,
        check=True,
    )
    (site,) = folder.glob("lib/python*/site-packages")
    (site / "release.pth").write_text(places.stdout, encoding="utf-8")
    python = f"{folder}/bin/python"
    _run("uv", "pip", "install", "--quiet", "--no-deps", "--python", python, *packages)
    (folder / ".complete").touch()


def site_packages(python: str) -> Path:
    """Where the overlay's own packages lie."""
    (site,) = Path(python).parents[1].glob("lib/python*/site-packages")
    return site


def _run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    if done.returncode:
        reason = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
        pytest.skip(f"{command[0]} {command[1]} failed: {reason}")
