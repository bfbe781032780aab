"""Configs as programs make them on a CPU, and what comes of each in every pair of releases.

    python -m matrix.configs run --config paddlex --loader 3.3.1 --saver 2.6.2
    python -m matrix.configs run --quick                 the fixtures and the quick part of the zoo
    python -m matrix.configs run --minutes 20            as much as fits; a later run goes on
    python -m matrix.configs run --only '2.6.2/leaky*'   those networks, shown one by one
    python -m matrix.configs table                       results/configs.json and configs.md anew

A cell is a saved network that a predictor with the named Config runs, through Paddle's own call and
through compatload's, each in a process of its own: twice on each stored input, where the zoo stores
two sizes on both. Exit status: 0 compatload fails nowhere, 1 it does, 2 misuse.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from matrix.artifacts import Artifact, fixtures, source_digest
from matrix.cells import CALLERS, WITH, Cell, Result, chosen
from matrix.environments import home
from matrix.execution import CODE, Job, Options, confirm, execute
from matrix.journal import Journal
from matrix.named_configs import NAMED
from matrix.pairs import RELEASES, saved
from matrix.progress import say
from matrix.results import RESULTS
from matrix.run import install
from matrix.versions import QUICK_SHARE, entries


def main(arguments: Sequence[str] | None = None) -> int:
    asked = parse(arguments)
    file = home() / "configs.jsonl"
    found = run(asked, file) if asked.verb == "run" else {}
    if asked.verb == "table" or not asked.only:
        write(everything(file))
    for cell, result in sorted(found.items()):
        if asked.only or _fails(cell, result):
            cause = result.error or result.difference
            say("  ".join(map(str, (cell.id, result.outcome, " ".join(result.rules), cause))))
    return 1 if any(_fails(cell, result) for cell, result in found.items()) else 0


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="matrix.configs", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    verbs = parser.add_subparsers(dest="verb", required=True)
    verbs.add_parser("table")
    verb = verbs.add_parser("run")
    verb.add_argument("--config", action="append", choices=sorted(NAMED), help="default: all")
    verb.add_argument("--saver", action="append", choices=RELEASES, help="default: all")
    verb.add_argument("--loader", action="append", choices=RELEASES, help="default: all")
    verb.add_argument("--caller", action="append", choices=CALLERS, help="default: both")
    verb.add_argument("--quick", action="store_true", help="a part of the zoo")
    verb.add_argument("--only", action="append", default=[], metavar="CELLS", help="a pattern")
    verb.add_argument("--minutes", type=float, default=math.inf, help="start no cell later")
    verb.add_argument("--jobs", type=int, default=1)
    verb.add_argument("--timeout", type=float, default=60.0, metavar="SECONDS", help="a cell")
    verb.add_argument("--any-code", action="store_true", help="earlier results count, too")
    parser.set_defaults(only=[])
    return parser.parse_args(arguments)


def run(asked: argparse.Namespace, file: Path) -> dict[Cell, Result]:
    """What came of the cells that were asked for, as far as time allowed."""
    savers, loaders = asked.saver or RELEASES, asked.loader or RELEASES
    table = [entry for entry in entries() if entry.id in {*savers, *loaders}]
    environments, unavailable = install(table)
    zoo = saved(savers)
    artifacts = [*fixtures(savers), *(zoo[::QUICK_SHARE] if asked.quick else zoo)]
    until = time.monotonic() + 60 * asked.minutes
    options = Options(asked.jobs, asked.timeout, any_code=asked.any_code, until=until)
    found: dict[Cell, Result] = {}
    with Journal(file) as journal:
        job = Job(environments, unavailable, artifacts, journal, options)
        for cells in stages(artifacts, asked, loaders):
            found.update(confirm(job, execute(job, chosen(cells, asked.only))))
    return {cell: result for cell, result in found.items() if result.outcome != "not run"}


def stages(
    artifacts: Sequence[Artifact], asked: argparse.Namespace, loaders: Sequence[str]
) -> list[list[Cell]]:
    """What matters most first, in case time runs out: Configs in their order, then the fixtures
    before the zoo, compatload before Paddle alone."""
    return [
        [
            Cell(one.saver, one.model, loader, f"predictor{WITH}{config}", caller)
            for one in artifacts
            if (one.family == "fixtures") == committed
            for loader in loaders
        ]
        for config in asked.config or NAMED
        for committed in (True, False)
        for caller in asked.caller or reversed(CALLERS)
    ]


def _fails(cell: Cell, result: Result) -> bool:
    return cell.caller == "compatload" and result.outcome != "ok"


def everything(file: Path) -> dict[Cell, tuple[str, Result]]:
    """The last that the journal says of each cell, and of which code it says it."""
    found: dict[Cell, tuple[str, Result]] = {}
    with file.open(encoding="utf-8", errors="replace") as lines:
        for line in lines:
            try:
                told = json.loads(line)
                cell = Cell.parse(told["key"].partition("@")[0])
                found[cell] = (told["code"], Result.from_dict(told["result"]))
            except (ValueError, KeyError, TypeError):  # a line cut short, as Journal has it
                continue
    return found


def write(found: Mapping[Cell, tuple[str, Result]]) -> None:
    """The counts as JSON, and as a table."""
    now = {caller: source_digest(patterns) for caller, patterns in CODE.items()}
    counts: dict[str, Any] = {}
    failures = []
    for cell, (_, result) in sorted(found.items()):
        config = cell.api.partition(WITH)[2]
        pair = counts.setdefault(config, {}).setdefault(f"{cell.saver} → {cell.loader}", {})
        outcomes = pair.setdefault(cell.caller, {})
        outcomes[result.outcome] = outcomes.get(result.outcome, 0) + 1
        if _fails(cell, result):
            cause = result.error or f"difference {result.difference:g}"
            failures.append([cell.id, result.outcome, cause])
    told = {
        "when": time.strftime("%Y-%m-%d %H:%M", time.gmtime()),
        "cells": len(found),
        "found with earlier code": sum(
            now[cell.caller] != code for cell, (code, _) in found.items()
        ),
        "configs": {
            name: {"source": NAMED[name].source, "calls": NAMED[name].calls} for name in counts
        },
        "counts": counts,
        "compatload not ok": failures,
    }
    RESULTS.joinpath("configs.json").write_text(
        json.dumps(told, indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
    )
    RESULTS.joinpath("configs.md").write_text(table(told), encoding="utf-8")


def table(told: Mapping[str, Any]) -> str:
    """Markdown: cells that load and agree, of those that ran, by Config and pair."""
    lines = [
        "# Predictors with the Configs that programs make",
        "",
        "Saved networks that a predictor runs with the outputs stored at saving, twice on each "
        "stored input, of those that were tried; in brackets, how many killed the process. Made by "
        f"`python -m matrix.configs`: {told['cells']} cells, "
        f"{told['found with earlier code']} of them with earlier code.",
        "",
        "| Config | saved by → loaded by | Paddle alone | compatload |",
        "|---|---|---|---|",
    ]
    for config in sorted(told["counts"], key=list(NAMED).index):
        for pair, callers in told["counts"][config].items():
            own, ours = (_of(callers.get(caller, {})) for caller in CALLERS)
            lines.append(f"| {config} | {pair} | {own} | {ours} |")
    lines += ["", "| Config | read in | calls |", "|---|---|---|"]
    for name, about in told["configs"].items():
        calls = ", ".join(
            f"{call}({', '.join(map(repr, given))})" for call, given in about["calls"]
        )
        lines.append(f"| {name} | {about['source']} | {calls} |")
    return "\n".join(lines) + "\n"


def _of(outcomes: Mapping[str, int]) -> str:
    died = outcomes.get("crash", 0) + outcomes.get("hang", 0)
    told = f"{outcomes.get('ok', 0)} of {sum(outcomes.values())}" if outcomes else "not run"
    return f"{told} ({died})" if died else told


if __name__ == "__main__":
    sys.exit(main())
