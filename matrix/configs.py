"""Configs as programs make them on a CPU, and what comes of each in every pair of releases.

    python -m matrix.configs run --config paddlex --loader 3.3.1 --saver 2.6.2
    python -m matrix.configs run --quick                 the fixtures and the quick part of the zoo
    python -m matrix.configs run --minutes 20            as much as fits; a later run goes on
    python -m matrix.configs run --only '2.6.2/leaky*'   those networks, shown one by one
    python -m matrix.configs table                       results/configs.json, docs/configs.md

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
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from matrix.artifacts import Artifact, fixtures, source_digest
from matrix.cells import CALLERS, WITH, Cell, Result, chosen
from matrix.environments import home
from matrix.execution import CODE, Job, Options, confirm, execute
from matrix.journal import Journal
from matrix.markdown import table
from matrix.named_configs import NAMED, PADDLEX, NamedConfig
from matrix.pairs import RELEASES, saved
from matrix.pool import ROOT
from matrix.progress import say
from matrix.results import RESULTS
from matrix.run import install
from matrix.versions import QUICK_SHARE, entries

DOCUMENT = ROOT / "docs/configs.md"
MARK = "<!-- Made by `python -m matrix.configs table`. -->"


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


def write(found: Mapping[Cell, tuple[str, Result]], folder: Path = RESULTS) -> None:
    """The counts as JSON, and as a table. What was counted on another machine stays, a pair at a
    time, until as many cells of that pair have been run here."""
    now = {caller: source_digest(patterns) for caller, patterns in CODE.items()}
    file = folder / "configs.json"
    told: dict[str, Any] = {"counts": {}, "compatload not ok": [], "found with earlier code": 0}
    if file.exists():
        told = json.loads(file.read_text(encoding="utf-8"))
    counts = told["counts"]
    of_here: dict[tuple[str, str, str], Counter[str]] = {}
    for cell, (_, result) in found.items():
        of_here.setdefault(_counted(cell), Counter())[result.outcome] += 1
    taken = set()
    for (config, pair, caller), outcomes in of_here.items():
        outcomes_then = counts.setdefault(config, {}).setdefault(pair, {}).get(caller, {})
        if outcomes.total() >= sum(outcomes_then.values()):
            counts[config][pair][caller] = dict(outcomes)
            taken.add((config, pair, caller))
    failures = [
        one for one in told["compatload not ok"] if _counted(Cell.parse(one[0])) not in taken
    ]
    anew = {cell: one for cell, one in sorted(found.items()) if _counted(cell) in taken}
    for cell, (_, result) in anew.items():
        if _fails(cell, result):
            cause = result.error or f"difference {result.difference:g}"
            failures.append([cell.id, result.outcome, cause])
    cells = sum(
        sum(outcomes.values())
        for pairs in counts.values()
        for callers in pairs.values()
        for outcomes in callers.values()
    )
    current = sum(now[cell.caller] == code for cell, (code, _) in anew.items())
    told = {
        "when": time.strftime("%Y-%m-%d %H:%M", time.gmtime()),
        "cells": cells,
        "found with earlier code": cells - current,
        "counts": counts,
        "compatload not ok": failures,
    }
    file.write_text(json.dumps(told, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    write_table(folder / DOCUMENT.name if folder != RESULTS else DOCUMENT, document(told))


def _counted(cell: Cell) -> tuple[str, str, str]:
    """The Config, the pair and the caller that a cell counts for."""
    return cell.api.partition(WITH)[2], f"{cell.saver} → {cell.loader}", cell.caller


def write_table(page: Path, made: str) -> None:
    """Put what was made in the place of everything below the mark."""
    text = page.read_text(encoding="utf-8") if page.exists() else ""
    page.write_text(f"{text.partition(MARK)[0]}{MARK}\n\n{made}", encoding="utf-8")


def document(told: Mapping[str, Any]) -> str:
    """Markdown: cells that load and agree, of those that ran, by Config; by pair for PaddleX's."""
    counts = {name: told["counts"][name] for name in NAMED if name in told["counts"]}
    about = (
        "Saved networks that a predictor runs with the outputs stored at saving, twice on each "
        "stored input, of those that were tried; in brackets, how many killed the process. Made by "
        f"`python -m matrix.configs`: {told['cells']} cells, "
        f"{told['found with earlier code']} of them with earlier code."
    )
    by_config = [
        (name, *_row(pairs.values()), NAMED[name].source, _calls(NAMED[name]))
        for name, pairs in counts.items()
    ]
    by_pair = [(pair, *_row([callers])) for pair, callers in counts.get(PADDLEX, {}).items()]
    head = ("Paddle alone", "compatload")
    return "\n\n".join(
        (
            about,
            table(("Config", *head, "read in", "calls"), by_config),
            "Pair by pair, by compatload; empty where none was tried:",
            _by_pair(counts),
            "PaddleX's Config, pair by pair:",
            table(("saved by → loaded by", *head), by_pair) + "\n",
        )
    )


def _by_pair(counts: Mapping[str, Any]) -> str:
    """A row for every pair of releases, a column for every Config."""
    pairs = sorted({pair for each in counts.values() for pair in each})
    rows = [
        (
            pair,
            *(
                _of(Counter(each.get(pair, {}).get("compatload", {})), "")
                for each in counts.values()
            ),
        )
        for pair in pairs
    ]
    return table(("saved by → loaded by", *counts), rows)


def _row(pairs: Iterable[Mapping[str, Mapping[str, int]]]) -> tuple[str, str]:
    """What Paddle alone and what compatload came to, in words."""
    total = {caller: Counter[str]() for caller in CALLERS}
    for callers in pairs:
        for caller, outcomes in callers.items():
            total[caller].update(outcomes)
    own, ours = (_of(total[caller]) for caller in CALLERS)
    return own, ours


def _calls(named: NamedConfig) -> str:
    return ", ".join(f"{call}({', '.join(map(repr, given))})" for call, given in named.calls)


def _of(outcomes: Counter[str], none: str = "not run") -> str:
    died = outcomes["crash"] + outcomes["hang"]
    told = f"{outcomes['ok']} of {sum(outcomes.values())}" if outcomes else none
    return f"{told} ({died})" if died else told


if __name__ == "__main__":
    sys.exit(main())
