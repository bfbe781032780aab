"""Every pair of saver and loader: what Paddle's own loaders make of it, and what compatload does.

    python -m matrix.pairs                       the committed fixtures
    python -m matrix.pairs --zoo                 and every network that a matrix run has saved
    python -m matrix.pairs --zoo --minutes 20    as much as fits; a later run goes on from there
    python -m matrix.pairs --zoo --any-code      what other code found before counts, too

Each network is loaded and run in a process of its own through each of the three APIs and compared
with the outputs stored at saving. Writes ``matrix/results/pairs.json`` and ``pairs.md``. Exit
status: 0 compatload fails nowhere, 1 it does.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from matrix.artifacts import Artifact, fixtures
from matrix.cells import APIS, CALLERS, Cell, Result
from matrix.environments import Environment, home
from matrix.execution import Job, Options, confirm, execute
from matrix.journal import Journal
from matrix.progress import say
from matrix.releases import REPRESENTATIVES as RELEASES
from matrix.results import RESULTS
from matrix.run import install
from matrix.versions import entries

_TABLE, _COUNTS = "pairs.md", "pairs.json"


def main(arguments: Sequence[str] | None = None) -> int:
    asked = parse(arguments)
    environments, unavailable = install([entry for entry in entries() if entry.id in RELEASES])
    artifacts = [*fixtures(RELEASES), *(saved(RELEASES) if asked.zoo else ())]
    until = time.monotonic() + 60 * asked.minutes
    options = Options(asked.jobs, asked.timeout, any_code=asked.any_code, until=until)
    found: dict[Cell, Result] = {}
    with Journal(home() / "journal.jsonl") as journal:
        job = Job(environments, unavailable, artifacts, journal, options)
        # What matters most comes first, in case time runs out.
        for cells in stages(artifacts):
            found.update(confirm(job, execute(job, cells)))
        earlier = sum(not job.is_current(c) for c, r in found.items() if r.outcome != "not run")
    ran = {cell: result for cell, result in found.items() if result.outcome != "not run"}
    write(ran, len(found), earlier, environments)
    failed = [cell for cell, result in ran.items() if _fails(cell, result)]
    for cell in sorted(failed):
        say(f"{cell.id}  {ran[cell].outcome}  {ran[cell].error or ran[cell].difference}")
    return 1 if failed else 0


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="matrix.pairs", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--zoo", action="store_true", help="networks saved by matrix runs, too")
    parser.add_argument("--minutes", type=float, default=math.inf, help="start no cell later")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--timeout", type=float, default=120.0, metavar="SECONDS", help="a cell")
    parser.add_argument("--any-code", action="store_true", help="earlier results count, too")
    return parser.parse_args(arguments)


def saved(savers: Iterable[str]) -> list[Artifact]:
    """Every network that some run of the matrix had those releases save."""
    found = []
    for saver in savers:
        for note in sorted((home() / "artifacts" / saver).glob("*/origin.json")):
            digest = str(json.loads(note.read_text(encoding="utf-8"))["digest"])
            found.append(Artifact(saver, note.parent.name, "zoo", note.parent, digest))
    return found


def stages(artifacts: Sequence[Artifact]) -> list[list[Cell]]:
    """Cells by importance: fixtures before the zoo, compatload before Paddle alone."""
    return [
        [
            Cell(artifact.saver, artifact.model, loader, api, caller)
            for artifact in artifacts
            if (artifact.family == "fixtures") == committed
            for loader in RELEASES
            for api in APIS
        ]
        for committed in (True, False)
        for caller in reversed(CALLERS)
    ]


def _fails(cell: Cell, result: Result) -> bool:
    return cell.caller == "compatload" and result.outcome != "ok"


def write(
    ran: Mapping[Cell, Result],
    wanted: int,
    earlier: int,
    environments: Mapping[str, Environment],
) -> None:
    """The counts as JSON, and as a table."""
    counts = counted(ran)
    failures = [
        [cell.id, result.outcome, result.error or f"difference {result.difference:g}"]
        for cell, result in sorted(ran.items())
        if _fails(cell, result)
    ]
    result = {
        "when": time.strftime("%Y-%m-%d %H:%M", time.gmtime()),
        "cells": {"wanted": wanted, "ran": len(ran), "found with earlier code": earlier},
        "wheels": {one.id: one.record_sha256 for one in environments.values()},
        "counts": counts,
        "compatload not ok": failures,
    }
    _replace(RESULTS / _COUNTS, json.dumps(result, indent=1, ensure_ascii=False) + "\n")
    _replace(RESULTS / _TABLE, table(counts, result["cells"]))


def counted(ran: Mapping[Cell, Result]) -> dict[str, Any]:
    """saver → loader → caller → api → outcome → number of networks."""
    counts: dict[str, Any] = {}
    for cell, result in sorted(ran.items()):
        place = counts.setdefault(cell.saver, {}).setdefault(cell.loader, {})
        outcomes = place.setdefault(cell.caller, {}).setdefault(cell.api, {})
        outcomes[result.outcome] = outcomes.get(result.outcome, 0) + 1
    return counts


def table(counts: Mapping[str, Any], cells: Mapping[str, int]) -> str:
    """Markdown: cells that load and agree, of those that ran, by pair."""
    lines = [
        "# Every saver in every loader",
        "",
        "Cells (a network through one of three APIs) that load and agree with the outputs stored "
        "at saving, of those that ran; crashes are processes that died. Made by "
        f"`python -m matrix.pairs`: {cells['ran']} of {cells['wanted']} cells ran, "
        f"{cells['found with earlier code']} of them with earlier code.",
        "",
        "| saved by | loaded by | Paddle alone | its crashes | compatload |",
        "|---|---|---|---|---|",
    ]
    for saver, loaders in counts.items():
        for loader, callers in loaders.items():
            own, ours = (_sum(callers.get(caller, {})) for caller in CALLERS)
            crashes = own["crash"] if own else "not run"
            lines.append(f"| {saver} | {loader} | {_of(own)} | {crashes} | {_of(ours)} |")
    return "\n".join(lines) + "\n"


def _sum(apis: Mapping[str, Mapping[str, int]]) -> Counter[str]:
    total: Counter[str] = Counter()
    for outcomes in apis.values():
        total.update(outcomes)
    return total


def _of(outcomes: Counter[str]) -> str:
    total = sum(outcomes.values())
    return f"{outcomes['ok']} of {total}" if total else "not run"


def _replace(path: Path, text: str) -> None:
    aside = path.with_suffix(f"{path.suffix}.part")
    aside.write_text(text, encoding="utf-8")
    os.replace(aside, path)


if __name__ == "__main__":
    sys.exit(main())
