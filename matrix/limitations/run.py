"""Measure every limitation program on every installed release; resumable.

    python matrix/limitations/run.py --envs /root/envs [--release 3.3.1 …] [--row row05 …] [--again]

Each release is run by its own interpreter (``ENVS/RELEASE/bin/python``, see child.py), with
``full_graph`` on and off, called and exported, and what is said to fail is saved by this checkout's
``safe_save`` as well. Cells that ``matrix/results/limitations.json``
already holds are not run again; the file is written after every release.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import platform
import subprocess
import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from pathlib import Path

from packaging.version import Version

HERE = Path(__file__).parent
RESULTS = HERE.parent / "results" / "limitations.json"
STAGES = ("call", "export")
# A thread pool of Paddle's makes timings and crashes depend on the load of the machine.
ENVIRONMENT = {
    "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "GLOG_minloglevel": "3",
    "PYTHONPATH": str(HERE.parents[1]), "COMPATLOAD_CACHE": "off",
}  # fmt: skip


def forms() -> Iterator[tuple[str, str]]:
    """(row, form) of every program: the classes whose names say which of the two they are."""
    for path in sorted((HERE / "cases").glob("row*.py")):
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.ClassDef) and node.name.startswith(("Said", "Recommended")):
                yield path.stem, node.name


def cells() -> Iterator[dict[str, object]]:
    for row, form in forms():
        for full_graph in (True, False):
            for stage in STAGES:
                yield {"row": row, "form": form, "full_graph": full_graph, "stage": stage}
        if form.startswith("Said"):
            yield {"row": row, "form": form, "full_graph": True, "stage": "safe_save"}


def key(cell: dict[str, object]) -> tuple[object, ...]:
    return cell["row"], cell["form"], cell["full_graph"], cell["stage"]


def measure(
    python: Path, wanted: list[dict[str, object]], modules: Path = HERE / "cases"
) -> list[dict[str, object]]:
    """Answers of one release's child; the first one tells the release itself."""
    asked = "".join(json.dumps(cell) + "\n" for cell in wanted)
    done = subprocess.run(
        [python, "-W", "ignore", HERE / "child.py", modules],
        input=asked,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, **ENVIRONMENT},
        text=True,
        check=False,
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


def load() -> dict[str, dict[str, object]]:
    """Release → what was measured with it."""
    if not RESULTS.exists():
        return {}
    return json.loads(RESULTS.read_text("utf-8"))["releases"]


def save(releases: dict[str, dict[str, object]]) -> None:
    ordered = {name: releases[name] for name in sorted(releases, key=Version)}
    document = {"schema": 1, "machine": platform.machine(), "releases": ordered}
    RESULTS.parent.mkdir(exist_ok=True)
    aside = RESULTS.with_suffix(".part")
    aside.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", "utf-8")
    aside.replace(RESULTS)


def merged(old: Iterable[dict[str, object]], new: Iterable[dict[str, object]]) -> list:
    """One entry a cell, the newer one, without programs that no longer exist."""
    told = {key(cell): cell for cell in (*old, *new)}
    return [told[key(cell)] for cell in cells() if key(cell) in told]


def parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--envs", type=Path, required=True, help="folder of virtual environments")
    parser.add_argument("--release", nargs="*", help="only these (all in ENVS by default)")
    parser.add_argument("--row", nargs="*", help="only rows whose name contains one of these")
    parser.add_argument("--stage", choices=(*STAGES, "safe_save"), help="only this")
    parser.add_argument("--again", action="store_true", help="measure what is known, too")
    parser.add_argument("--jobs", type=int, default=1)
    return parser.parse_args(arguments)


def main(arguments: list[str] | None = None) -> int:
    options = parse(arguments)
    found = sorted(p.parents[1].name for p in options.envs.glob("[0-9]*/bin/python"))
    names = options.release or sorted(found, key=Version)
    releases = load()

    def one(name: str) -> tuple[str, list[dict[str, object]]]:
        known = {} if options.again else {key(c) for c in releases.get(name, {}).get("cells", [])}
        wanted = [
            cell
            for cell in cells()
            if key(cell) not in known
            and options.stage in (None, cell["stage"])
            and (not options.row or any(part in str(cell["row"]) for part in options.row))
        ]
        if not wanted:
            return name, []
        return name, measure(options.envs / name / "bin" / "python", wanted)

    incomplete = 0
    with ThreadPoolExecutor(options.jobs) as pool:
        for name, answers in pool.map(one, names):
            if not answers:
                continue
            about, *results = answers
            for cell in results:
                cell.pop("trace", None)
            old = releases.get(name, {}).get("cells", [])
            now = merged(old, results)
            releases[name] = {**about, "date": date.today().isoformat(), "cells": now}
            save(releases)
            incomplete += len(list(cells())) - len(now)
            print(f"{name}: {len(results)} measured, {len(now)} known", file=sys.stderr)
    return 1 if incomplete else 0


if __name__ == "__main__":
    sys.exit(main())
