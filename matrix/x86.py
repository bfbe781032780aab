"""The x86 rows of the matrix: real Paddles on CPUs that nobody has at hand.

    python -m matrix.x86 --environments DIR [--only hygon-dhyana …] [--system KERNEL_DIR]

DIR holds ``<release>/bin/python``. Every probe is a process of its own, one at a time; its result
is kept in ``matrix/results/x86/<row>.json`` as soon as it ends, and is not run again unless
``--again`` asks for it. Anybody with the hardware adds a row with ``--only host --name NAME``.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from matrix.emulation.cpus import ROWS, CpuRow
from matrix.emulation.launch import (
    inside,
    read_ending,
    read_result,
    start_server,
)
from matrix.emulation.questions import LOAD_RELEASES, MODELS, Probe, probes
from matrix.emulation.rows import Place, Results, header, host_outputs, judge

# Releases whose native library starts a thread when it is loaded. A process with threads cannot
# fork in qemu-user 7.2: the child ends with 127 and "qemu_plugin_vcpu_init_hook: assertion failed".
THREADED = frozenset({"2.6.2", "3.0.0"})


def ask(
    row: CpuRow, release: str, batch: Sequence[Probe], place: Place, importable: bool | None
) -> Iterator[tuple[Probe, dict[str, Any]]]:
    """Ask about one release, each question in a process of its own; answers as they come.

    ``importable``: whether the release is known to import there; None if that is asked as well.
    """
    job = Path(tempfile.mkdtemp(prefix="job-", dir=place.scratch))
    there = inside(job, place.kernel)
    alone = importable is False or (place.kernel is None and row.emulated and release in THREADED)
    jobs = [
        {
            "arguments": probe.arguments(there / f"{number}.json", there / f"{number}.npz"),
            "environment": dict(probe.way.environment),
            "fresh": alone or probe.task != "load",
        }
        for number, probe in enumerate(batch)
    ]
    (job / "jobs.json").write_text(json.dumps(jobs), "utf-8")
    server = start_server(row, place.python(release), job, place.timeout, place.kernel)
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
            cell = judge(probe, ending, said, outputs, host_outputs(row, probe, place))
            yield probe, {**cell, "under": place.means(row)}
    finally:
        if server.poll() is None:
            os.killpg(server.pid, signal.SIGKILL)
        server.wait()
    if (job / "cpuinfo").exists():
        shutil.copyfile(job / "cpuinfo", place.scratch / row.name / "cpuinfo")
    shutil.rmtree(job)


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
        batch = [probe for probe in todo if probe.release == release]
        known = results.cells.get(Probe(release, "import").key, {}).get("outcome")
        importable = None if known in (None, "not run") else known == "ok"
        for probe, cell in ask(row, release, batch, place, importable):
            results.put(probe.key, cell)
            done += 1
            print(f"{row.name} {done}/{len(todo)} {probe.key}: {cell['outcome']}", flush=True)


def _complete(cell: Mapping[str, Any], row: CpuRow, probe: Probe, place: Place) -> bool:
    needs_arrays = probe.task == "load" and cell["outcome"] in ("ok", "wrong")
    return not needs_arrays or place.outputs(row, probe).exists()


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m matrix.x86", description=__doc__)
    parser.add_argument("--environments", type=Path, required=True)
    parser.add_argument("--only", nargs="*", choices=[row.name for row in ROWS])
    parser.add_argument("--name", help="another name for the row that is run (with --only)")
    parser.add_argument("--models", nargs="*", default=MODELS)
    parser.add_argument("--releases", nargs="*", default=LOAD_RELEASES, choices=LOAD_RELEASES)
    parser.add_argument("--task", choices=("import", "runtime", "load"))
    parser.add_argument("--again", default="", help="run cells whose key contains this once more")
    parser.add_argument(
        "--system", type=Path, help="run under a real kernel: the folder made by make-kernel.sh"
    )
    parser.add_argument("--scratch", type=Path, default=Path(tempfile.gettempdir()) / "matrix-x86")
    parser.add_argument("--timeout", type=float, default=240, help="seconds a probe")
    return parser.parse_args(arguments)


def main() -> None:
    # A terminated run must not leave its emulator behind.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    asked = parse(sys.argv[1:])
    place = Place(asked.environments.absolute(), asked.scratch, asked.timeout, asked.system)
    asked.scratch.mkdir(parents=True, exist_ok=True)
    for row in ROWS:
        if asked.only and row.name not in asked.only:
            continue
        name = asked.name or row.name
        if place.kernel and not row.emulated:
            continue
        wanted = [
            probe
            for probe in probes(row, asked.models, asked.releases)
            if asked.task in (None, probe.task)
        ]
        results = Results(name, header(row, name, place))
        fill(row, wanted, place, results, asked.again)


if __name__ == "__main__":
    main()
