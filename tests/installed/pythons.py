"""Install the wheel that users get, beside a real Paddle, in each Python, and try it there.

    python tests/installed/pythons.py                   every supported Python that is found here
    python tests/installed/pythons.py python3.13 …      these

Needs nothing but the standard library; ``uv`` is used where it is there. Ends with 1 if one failed.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TRIAL = Path(__file__).with_name("trial.py")
SUPPORTED = ((3, 9), (3, 10), (3, 11), (3, 12), (3, 13))
# The package index has no wheel of Paddle for Linux on Arm.
PADDLE = (
    [] if (sys.platform, platform.machine()) == ("linux", "aarch64") else ["paddlepaddle==3.3.1"]
)


def found() -> Iterator[str]:
    """An interpreter of each supported version: from PATH, else from pyenv."""
    shims = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    for major, minor in SUPPORTED:
        name = f"python{major}.{minor}"
        kept = sorted(str(path) for path in shims.glob(f"{major}.{minor}.*/bin/{name}"))
        for candidate in [*kept, *filter(None, [shutil.which(name)])]:
            if subprocess.run([candidate, "-c", ""], capture_output=True).returncode == 0:
                yield candidate
                break


def run(*command: object, cwd: Path) -> str:
    """What a command prints; CalledProcessError, with all it said, where it fails."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    environment["COMPATLOAD_CACHE"] = str(cwd / "cache")
    words = [str(word) for word in command]
    done = subprocess.run(words, cwd=cwd, env=environment, capture_output=True, text=True)
    if done.returncode:
        sys.stderr.write(done.stdout[-3000:] + done.stderr[-3000:])
        done.check_returncode()
    return done.stdout


def install(python: Path, packages: Sequence[object], cwd: Path) -> None:
    if shutil.which("uv"):
        run("uv", "pip", "install", "--quiet", "--python", python, *packages, cwd=cwd)
    else:
        run(python, "-m", "pip", "install", "--quiet", *packages, cwd=cwd)


def tried(interpreter: str, wheel: Path, folder: Path) -> dict[str, object]:
    """What the trial says in a new environment of that interpreter."""
    place = folder / "environment"
    run(interpreter, "-m", "venv", place, cwd=folder)
    python = next(p for p in (place / "Scripts/python.exe", place / "bin/python") if p.exists())
    install(python, [f"{wheel}[check]", *PADDLE, "setuptools"], folder)
    said = run(python, "-W", "ignore", TRIAL, ROOT / "tests/fixtures", folder, cwd=folder)
    answer: dict[str, object] = json.loads(said.splitlines()[-1])
    assert str(place.resolve()) in str(Path(str(answer["compatload"])).resolve()), answer
    return answer


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("interpreters", nargs="*", help="such as python3.13")
    asked = parser.parse_args().interpreters or list(found())
    failed = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        run(sys.executable, "-m", "pip", "wheel", "--no-deps", "-w", folder, ROOT, cwd=folder)
        (wheel,) = folder.glob("compatload-*.whl")
        print(f"{wheel.name}: {wheel.stat().st_size / 1e6:.2f} MB", flush=True)
        for number, interpreter in enumerate(asked):
            own = folder / str(number)
            own.mkdir()
            try:
                print(json.dumps(tried(interpreter, wheel, own)), flush=True)
            except subprocess.CalledProcessError as error:
                print(f"{interpreter}: {error}", file=sys.stderr, flush=True)
                failed += 1
            shutil.rmtree(own, ignore_errors=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
