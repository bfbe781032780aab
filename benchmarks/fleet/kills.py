"""``migrate`` killed at ten moments, then left alone: the bytes of an undisturbed run."""

from __future__ import annotations

import hashlib
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.fleet.results import keep
from benchmarks.fleet.zoo import mixed


def measure(models: int = 300, kills: int = 10, seed: int = 22) -> None:
    with tempfile.TemporaryDirectory(prefix="compatload-fleet-") as name:
        source, whole, killed = (Path(name, part) for part in ("fleet", "whole", "killed"))
        damaged = mixed(source, models, seed)
        before = content(source)
        began = time.monotonic()
        process = start(source, whole)
        process.wait()
        took = time.monotonic() - began
        print(f"undisturbed: ended with {process.returncode} after {took:.1f} s", flush=True)
        chance = random.Random(seed)  # noqa: S311 - the same moments every time
        moments = []
        for _ in range(kills):
            process = start(source, killed)
            # Every run begins where the one before was ended, so that a part of the time is enough.
            moment = chance.uniform(0.02, 2 / kills) * took
            time.sleep(moment)
            if process.poll() is None:
                process.send_signal(signal.SIGKILL)
                process.wait()
                moments.append({"seconds": round(moment, 2), "files": len(content(killed))})
                print(f"killed: {moments[-1]}", flush=True)
            process.wait()
        began = time.monotonic()
        process = start(source, killed)
        process.wait()
        there, wanted = content(killed), content(whole)
        figures = {
            "models": models,
            "damaged": len(damaged),
            "undisturbed seconds": round(took, 1),
            "kills": moments,
            "last run's seconds": round(time.monotonic() - began, 1),
            "exit code": process.returncode,
            "files": len(wanted),
            "files that differ": sum(there.get(k) != wanted.get(k) for k in {*there, *wanted}),
            "sources untouched": content(source) == before,
        }
    keep("kills", figures)


def content(folder: Path) -> dict[str, str]:
    """Every file by its path; the lock says nothing."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != "lock"
    }


def start(source: Path, target: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [
            *(sys.executable, "-m", "compatload", "migrate", str(source), str(target)),
            *("--to", "paddle==2.6.2", "--no-verify", "--jobs", "2", "--quiet"),
        ],
        stdout=subprocess.DEVNULL,
    )
