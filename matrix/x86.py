"""The x86 rows of the matrix: real Paddles on CPUs that nobody has at hand.

    python -m matrix.x86 --environments DIR [--only hygon-dhyana …] [--system KERNEL_DIR]

DIR holds ``<release>/bin/python``. Every probe is a process of its own, one at a time; its result
is kept in ``matrix/results/x86/<row>.json`` as soon as it ends, and is not run again unless
``--again`` asks for it. Anybody with the hardware adds a row with ``--only host --name NAME``.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import platform
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import numpy as np

from matrix.comparison import difference
from matrix.emulation.cpus import ROWS, CpuRow
from matrix.emulation.launch import (
    PROBE,
    ROOT,
    Ending,
    inside,
    read_ending,
    read_result,
    run_once,
    start_server,
)

FIXTURES = ROOT / "tests/fixtures"
RESULTS = ROOT / "matrix/results/x86"
SCHEMA = 1
TOLERANCE = 1e-5

IMPORT_RELEASES = ("2.6.2", "3.0.0", "3.1.0", "3.1.1", "3.2.0", "3.2.1", "3.2.2", "3.3.0", "3.3.1")
LOAD_RELEASES = ("2.6.2", "3.0.0", "3.3.1")
MODELS = ("classifier", "detector", "lstm")
APIS = ("layer", "program", "predictor")
# Errors with which compatload refuses before paddle is imported.
REFUSALS = frozenset({"CpuUnsupportedError", "NumpyUnsupportedError"})


@dataclass(frozen=True)
class Way:
    """How a model is loaded: by whom, under which environment, with which rule left out."""

    name: str
    loader: str
    environment: tuple[tuple[str, str], ...] = ()
    disabled: str | None = None
    apis: tuple[str, ...] = APIS


OWN = Way("paddle", "paddle")
SAFE = Way("compatload", "compatload")
# What shows a rule at work, and what else cures it, on the rows where that matters.
EXTRA_WAYS: Mapping[str, tuple[Way, ...]] = {
    "zhaoxin-without-fma": (
        Way("compatload without CL205", "compatload", disabled="CL205", apis=("predictor",)),
        Way(
            "paddle, ONEDNN_MAX_CPU_ISA=AVX",
            "paddle",
            (("ONEDNN_MAX_CPU_ISA", "AVX"),),
            apis=("predictor",),
        ),
    ),
    # oneDNN held to AVX2 on a newer machine computes what it computes on an AVX2 one.
    "host": (
        Way(
            "paddle, ONEDNN_MAX_CPU_ISA=AVX2",
            "paddle",
            (("ONEDNN_MAX_CPU_ISA", "AVX2"),),
            apis=("predictor",),
        ),
    ),
}


@dataclass(frozen=True)
class Probe:
    """One question. ``model`` is ``"<saved by>/<name>"``; empty fields do not apply."""

    release: str
    task: str
    model: str = ""
    api: str = ""
    way: Way = OWN

    @property
    def key(self) -> str:
        return "|".join((self.release, self.task, self.model, self.api, self.way.name))

    def arguments(self, result: Path, outputs: Path) -> list[str]:
        """The command line of ``probe.py``."""
        head = [str(result), self.task]
        if self.task == "import":
            return head
        model = str(FIXTURES / self.model)
        if self.task == "runtime":
            return [*head, model]
        disable = ["--disable", self.way.disabled] if self.way.disabled else []
        return [*head, model, self.api, self.way.loader, str(outputs), *disable]


def probes(row: CpuRow, models: Sequence[str], releases: Sequence[str]) -> Iterator[Probe]:
    """Every question for one row, the cheap and telling ones first."""
    for release in IMPORT_RELEASES:
        yield Probe(release, "import")
    for release in releases:
        yield Probe(release, "runtime", model=f"{_native_saver(release)}/classifier")
    ways = (OWN, SAFE, *EXTRA_WAYS.get(row.name, ()))
    for name in models:
        for release in releases:
            for saver in dict.fromkeys((_native_saver(release), "2.6.2")):
                for api in APIS:
                    for way in ways:
                        if api in way.apis:
                            yield Probe(release, "load", f"{saver}/{name}", api, way)


def _native_saver(release: str) -> str:
    return release  # every load release has fixtures that it saved itself


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


@dataclass(frozen=True)
class Place:
    """Where probes run and keep their arrays. ``kernel`` is set for a real emulated kernel."""

    environments: Path
    scratch: Path
    timeout: float
    kernel: Path | None = None

    def python(self, release: str) -> Path:
        return self.environments / release / "bin/python"

    def outputs(self, row: CpuRow, probe: Probe) -> Path:
        name = hashlib.sha256(probe.key.encode()).hexdigest()[:16]
        return self.scratch / row.name / f"{name}.npz"


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
    if ending is None:
        return {**cell, "outcome": "not run", "message": "the emulated kernel did not get there"}
    error = said.get("error")
    if ending.timed_out:
        cell["outcome"] = "timeout"
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


def ask_once(row: CpuRow, probe: Probe, place: Place) -> dict[str, Any]:
    """Ask one question in a fresh process."""
    outputs = place.outputs(row, probe)
    result = outputs.with_suffix(".json")
    for old in (result, outputs):
        old.unlink(missing_ok=True)
    ending = run_once(
        row,
        place.python(probe.release),
        [str(PROBE), *probe.arguments(result, outputs)],
        dict(probe.way.environment),
        place.timeout,
    )
    return judge(probe, ending, read_result(result), outputs, _host_outputs(probe, place))


def ask_many(
    row: CpuRow, batch: Sequence[Probe], place: Place
) -> Iterator[tuple[Probe, dict[str, Any]]]:
    """Ask about one release in forks of a process that has imported it; answers as they come."""
    job = Path(tempfile.mkdtemp(prefix="job-", dir=place.scratch))
    there = inside(job, place.kernel)
    jobs = [
        {
            "arguments": probe.arguments(there / f"{number}.json", there / f"{number}.npz"),
            "environment": dict(probe.way.environment),
        }
        for number, probe in enumerate(batch)
    ]
    (job / "jobs.json").write_text(json.dumps(jobs), "utf-8")
    python = place.python(batch[0].release)
    server = start_server(row, python, job, place.timeout, place.kernel)
    try:
        for number, probe in enumerate(batch):
            ending = read_ending(job, number)
            while ending is None and server.poll() is None:
                time.sleep(0.5)
                ending = read_ending(job, number)
            outputs = job / f"{number}.npz"
            if outputs.exists():
                shutil.copyfile(outputs, place.outputs(row, probe))
            said = read_result(job / f"{number}.json")
            host = _host_outputs(probe, place)
            yield probe, judge(probe, ending, said, outputs, host)
    finally:
        if server.poll() is None:
            os.killpg(server.pid, signal.SIGKILL)
        server.wait()
    shutil.rmtree(job)


def _host_outputs(probe: Probe, place: Place) -> Path:
    """The host's outputs for the same question, asked without anything special."""
    loader = SAFE if probe.way.loader == SAFE.loader else OWN
    return place.outputs(ROWS[0], replace(probe, way=loader))


def header(row: CpuRow, name: str, place: Place) -> dict[str, object]:
    """Where, with what and when a row was made."""
    if not row.emulated:
        emulator = None
    elif place.kernel:
        emulator = _first_line("qemu-system-x86_64", "--version")
    else:
        emulator = _first_line("qemu-x86_64", "--version")
    return {
        "row": name,
        "label": row.label,
        "kind": "emulated" if row.emulated else "hardware",
        "emulator": emulator,
        "cpu_model": row.model,
        "kernel": (place.kernel / "package").read_text().strip() if place.kernel else None,
        "machine": f"{platform.system()} {platform.release()} {platform.machine()}",
        "date": datetime.now(timezone.utc).date().isoformat(),
        "compatload": _first_line("git", "-C", str(ROOT), "rev-parse", "HEAD"),
        "wheels": {release: wheel(place.python(release)) for release in IMPORT_RELEASES},
    }


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


def fill(row: CpuRow, wanted: Iterable[Probe], place: Place, results: Results, again: str) -> None:
    """Run what is not there yet, and say how it goes."""
    todo = [
        probe
        for probe in wanted
        if probe.key not in results.cells
        or results.cells[probe.key]["outcome"] == "not run"
        or (again and again in probe.key)
        # The host's arrays are what all other rows are compared with, and are not committed.
        or (not row.emulated and not _complete(results.cells[probe.key], row, probe, place))
    ]
    (place.scratch / row.name).mkdir(parents=True, exist_ok=True)
    done = 0
    for release in dict.fromkeys(probe.release for probe in todo):
        for probe, cell in _answers(row, [p for p in todo if p.release == release], place, results):
            results.put(probe.key, cell)
            done += 1
            print(f"{row.name} {done}/{len(todo)} {probe.key}: {cell['outcome']}", flush=True)


def _answers(
    row: CpuRow, todo: Sequence[Probe], place: Place, results: Results
) -> Iterator[tuple[Probe, dict[str, Any]]]:
    """Fresh processes first; loads then share one import, unless that import is what fails."""
    loads = [probe for probe in todo if probe.task == "load"]
    for probe in todo:
        if probe.task != "load" and place.kernel is None:
            yield probe, ask_once(row, probe, place)
    imported = results.cells.get(Probe(todo[0].release, "import").key, {}).get("outcome")
    if place.kernel or imported == "ok":
        questions = todo if place.kernel else loads
        if questions:
            yield from ask_many(row, questions, place)
    else:
        for probe in loads:
            yield probe, ask_once(row, probe, place)


def _complete(cell: Mapping[str, Any], row: CpuRow, probe: Probe, place: Place) -> bool:
    needs_arrays = probe.task == "load" and cell["outcome"] in ("ok", "wrong")
    return not needs_arrays or place.outputs(row, probe).exists()


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m matrix.x86", description=__doc__)
    parser.add_argument("--environments", type=Path, required=True)
    parser.add_argument("--only", nargs="*", choices=[row.name for row in ROWS])
    parser.add_argument("--name", help="what to call the row of the machine itself")
    parser.add_argument("--models", nargs="*", default=MODELS)
    parser.add_argument("--releases", nargs="*", default=LOAD_RELEASES, choices=LOAD_RELEASES)
    parser.add_argument("--task", choices=("import", "runtime", "load"))
    parser.add_argument("--again", default="", help="run cells whose key contains this once more")
    parser.add_argument("--system", type=Path, help="folder made by emulation/make-kernel.sh")
    parser.add_argument("--scratch", type=Path, default=Path(tempfile.gettempdir()) / "matrix-x86")
    parser.add_argument("--timeout", type=float, default=240, help="seconds a probe")
    return parser.parse_args(arguments)


def main() -> None:
    asked = parse(sys.argv[1:])
    place = Place(asked.environments.absolute(), asked.scratch, asked.timeout, asked.system)
    asked.scratch.mkdir(parents=True, exist_ok=True)
    for row in ROWS:
        if asked.only and row.name not in asked.only:
            continue
        name = asked.name if asked.name and not row.emulated else row.name
        if place.kernel and not row.emulated:
            continue
        if place.kernel:
            name += "-system"
        wanted = [
            probe
            for probe in probes(row, asked.models, asked.releases)
            if asked.task in (None, probe.task)
        ]
        results = Results(name, header(row, name, place))
        fill(row, wanted, place, results, asked.again)


if __name__ == "__main__":
    main()
