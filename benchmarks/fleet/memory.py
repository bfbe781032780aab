"""Peak memory of ``check`` and ``migrate`` by the number of models, in one process."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.fleet.results import keep
from benchmarks.fleet.zoo import many

NUMBERS = (500, 1000, 2500, 5000)
COMMANDS = {
    "check": ("check", "{fleet}", "--target", "paddle==3.3.1"),
    "migrate": ("migrate", "{fleet}", "{out}", "--to", "paddle==2.6.2", "--no-verify"),
}


def measure(verb: str, numbers: tuple[int, ...] = NUMBERS) -> None:
    rows: list[dict[str, float]] = []
    for models in numbers:
        with tempfile.TemporaryDirectory(prefix="compatload-fleet-") as name:
            many(Path(name), models)
            rows.append({"models": models, **_run(COMMANDS[verb], Path(name))})
        keep(f"memory of {verb}", {"rows": rows})


def _run(command: tuple[str, ...], folder: Path) -> dict[str, float]:
    named = [part.format(fleet=folder / "fleet", out=folder / "out") for part in command]
    report = folder / "report.json"
    began = time.monotonic()
    process = subprocess.Popen(
        [
            *(sys.executable, "-m", "compatload", *named),
            *("--jobs", "1", "--format", "json", "--output", str(report), "--quiet"),
        ]
    )
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 1):
        raise SystemExit(f"{command[0]} ended with {process.returncode}")
    return {
        "peak MiB": round(used.ru_maxrss / 1024),
        "seconds": round(time.monotonic() - began, 1),
        "processor seconds": round(used.ru_utime + used.ru_stime, 1),
        "report MiB": round(report.stat().st_size / (1 << 20), 1),
    }
