"""The result file of one CPU row: where it was made, and a cell for every question."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import numpy as np

from compatload.runtime.cpu import detect_cpu
from matrix.comparison import difference
from matrix.emulation.cpus import ROWS, CpuRow
from matrix.emulation.launch import ROOT, Ending
from matrix.emulation.questions import FIXTURES, IMPORT_RELEASES, OWN, SAFE, Probe

RESULTS = ROOT / "matrix/results/x86"
SCHEMA = 1
TOLERANCE = 1e-5
# Errors with which compatload refuses before paddle is imported.
REFUSALS = frozenset({"CpuUnsupportedError", "NumpyUnsupportedError"})


@dataclass(frozen=True)
class Place:
    """Where probes run and keep their arrays. ``kernel`` is set for a real emulated kernel."""

    environments: Path
    scratch: Path
    timeout: float
    kernel: Path | None = None

    def python(self, release: str) -> Path:
        return self.environments / release / "bin/python"

    def means(self, row: CpuRow) -> str:
        """What a row runs on or under."""
        if not row.emulated:
            return "hardware"
        return "qemu-system" if self.kernel else "qemu-user"

    def outputs(self, row: CpuRow, probe: Probe) -> Path:
        name = hashlib.sha256(probe.key.encode()).hexdigest()[:16]
        return self.scratch / row.name / f"{name}.npz"


class Results:
    """One row's file: read at the start, written whole and atomically after every probe."""

    def __init__(self, name: str, header: Mapping[str, object]) -> None:
        self.path = RESULTS / f"{name}.json"
        self.cells: dict[str, dict[str, Any]] = {}
        if self.path.exists():
            stored = json.loads(self.path.read_text("utf-8"))
            if stored["schema"] == SCHEMA:
                self.cells = {cell["key"]: cell for cell in stored["cells"]}
        self._header = header

    def put(self, key: str, cell: Mapping[str, Any]) -> None:
        self.cells[key] = {"key": key, **cell}
        data = {"schema": SCHEMA, **self._header, "cells": list(self.cells.values())}
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(
            "w", dir=self.path.parent, suffix=".part", delete=False, encoding="utf-8"
        ) as stream:
            json.dump(data, stream, indent=1, ensure_ascii=False)
            stream.write("\n")
        os.chmod(stream.name, 0o644)
        os.replace(stream.name, self.path)


def judge(
    probe: Probe, ending: Ending | None, said: Mapping[str, Any], outputs: Path, host: Path | None
) -> dict[str, Any]:
    """The cell: outcome, differences, and what was said."""
    cell: dict[str, Any] = {
        "release": probe.release,
        "task": probe.task,
        "model": probe.model,
        "api": probe.api,
        "way": probe.way.name,
        **{name: value for name, value in said.items() if name not in ("error", "bases")},
    }
    if ending is None or not said:
        # Nothing said at all: the emulator failed, not what runs in it.
        message = ending.stderr[-600:] if ending else "the process ended before this question"
        return {**cell, "outcome": "not run", "message": message}
    error = said.get("error")
    if ending.timed_out:
        cell["outcome"] = "hang"
    elif ending.signal or ending.code:
        cell.update(outcome="crash", signal=ending.signal, code=ending.code)
        cell["message"] = ending.stderr[-600:]
    elif error:
        cell.update(outcome="refused" if error in REFUSALS else "error", error=error)
        cell["message"] = str(said.get("message", ""))[:600]
    elif probe.task != "load":
        cell["outcome"] = "ok"
    else:
        home, beside = _differences(probe, outputs, host)
        cell.update(
            outcome="ok" if home <= TOLERANCE else "wrong",
            difference=_finite(home),
            difference_to_host=_finite(beside),
        )
    return cell


def _finite(number: float | None) -> float | str | None:
    # JSON has no infinity; "different shape" is what an infinite difference means.
    return "different shape" if number == float("inf") else number


def _differences(probe: Probe, outputs: Path, host: Path | None) -> tuple[float, float | None]:
    """Largest relative difference to the outputs stored at saving, and to the host's."""
    with np.load(FIXTURES / probe.model / "io.npz", allow_pickle=False) as stored:
        names = [name for name in stored.files if name.startswith("0/forward/out/")]
        expected = [stored[name] for name in sorted(names, key=lambda n: int(n.split("/")[-1]))]
    actual = _arrays(outputs)
    beside = difference(actual, _arrays(host)) if host and host.exists() else None
    return difference(actual, expected), beside


def _arrays(path: Path) -> list[np.ndarray]:
    with np.load(path, allow_pickle=False) as arrays:
        return [arrays[f"arr_{number}"] for number in range(len(arrays.files))]


def host_outputs(row: CpuRow, probe: Probe, place: Place) -> Path | None:
    """The host's outputs for the same question, asked without anything special; None on itself."""
    if not row.emulated and probe.way in (OWN, SAFE):
        return None
    loader = SAFE if probe.way.loader == SAFE.loader else OWN
    return place.outputs(ROWS[0], replace(probe, way=loader))


def header(row: CpuRow, name: str, place: Place) -> dict[str, object]:
    """Where, with what and when a row was made."""
    return {
        "row": name,
        "label": row.label if row.emulated else _own_label(),
        "kind": "emulated" if row.emulated else "hardware",
        "emulator": _first_line("qemu-x86_64", "--version") if row.emulated else None,
        "cpu_model": row.model,
        "machine": f"{platform.system()} {platform.release()} {platform.machine()}",
        "date": datetime.now(timezone.utc).date().isoformat(),
        "compatload": _first_line("git", "-C", str(ROOT), "rev-parse", "HEAD"),
        "wheels": {release: wheel(place.python(release)) for release in IMPORT_RELEASES},
    }


def _own_label() -> str:
    cpu = detect_cpu()
    widest = next((name for name in ("avx512f", "avx2", "avx") if name in cpu.features), "no avx")
    return f"{cpu.name or cpu.architecture} ({cpu.describe()}, {widest})"


def wheel(python: Path) -> dict[str, str] | None:
    """Which wheel an environment holds; the RECORD lists the hash of every file of it."""
    infos = sorted(python.parent.parent.glob("lib/python*/site-packages/paddlepaddle*.dist-info"))
    if not infos:
        return None
    lines = (infos[0] / "RECORD").read_text("utf-8").splitlines()
    # The installer adds lines of its own and orders as it likes.
    own = sorted(line for line in lines if line.startswith("paddle/") and ",sha256=" in line)
    digest = hashlib.sha256("\n".join(own).encode()).hexdigest()
    return {"wheel": infos[0].name.removesuffix(".dist-info"), "files_sha256": digest}


def _first_line(*words: str) -> str:
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    return (done.stdout or done.stderr).partition("\n")[0]
