"""Whether what a rule leaves out does harm where no operator asks for it.

    python -m matrix.remedies                      every remedy, on the networks of the faults
    python -m matrix.remedies --release 3.3.1 --rule CL203 --rule CL213,CL230
    python -m matrix.remedies --pairs 40 --seed 3  two remedies at once, drawn
    python -m matrix.remedies --all --share 8 --minutes 30    one network of so many, too

A plan leaves out a pass, oneDNN or memory optimisation because of one operator, and the rest of the
program has to stay right. A cell here is a saved network that compatload's predictor runs with such
a remedy taken in any case; twice on each stored input, compared with the outputs stored at saving.
Writes ``matrix/results/remedies.json``: pair → remedy → outcomes, and what failed. Exit status:
0 every cell agrees, 1 one does not.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import sys
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any

from packaging.specifiers import SpecifierSet

from compatload.faults.catalogue import load_rules
from compatload.faults.model import Action, Condition, Rule
from matrix.cells import AND, WITH, Cell, Result
from matrix.environments import home
from matrix.execution import Job, Options, confirm, execute
from matrix.journal import Journal
from matrix.pairs import RELEASES
from matrix.progress import say
from matrix.results import RESULTS
from matrix.run import install
from matrix.saved_zoo import Listing, networks, save_zoo
from matrix.versions import TIERS, entries

FILE = RESULTS / "remedies.json"
LEGACY = RELEASES[0]  # the last that saves legacy programs by itself
_TAKEN = (
    *(Action.DELETE_PASSES, Action.DISABLE_ONEDNN, Action.DISABLE_MEMORY_OPTIM),
    *(Action.WITHOUT_NEW_IR, Action.WITHOUT_NEW_EXECUTOR, Action.AS_LEGACY),
)


def main(arguments: Sequence[str] | None = None) -> int:
    asked = parse(arguments)
    pairs = [
        (saver, loader)
        for loader in asked.release or RELEASES
        for saver in dict.fromkeys((loader, LEGACY))
    ]
    releases = {release for pair in pairs for release in pair}
    table = [one for one in entries() if one.id in releases]
    environments, unavailable = install(table)
    listing = networks(environments)
    wanted = sorted({*faults(listing), *(list(listing)[:: asked.share] if asked.all else ())})
    patterns = [f"{release}/{name}/*" for release in releases for name in wanted]
    saved = save_zoo(table, environments, unavailable, asked.jobs, TIERS, patterns)
    artifacts = [one for one in saved if one.error is None and one.model in wanted]
    until = time.monotonic() + 60 * asked.minutes
    found: dict[Cell, Result] = {}
    with Journal(home() / "remedies.jsonl") as journal:
        options = Options(asked.jobs, asked.timeout, any_code=asked.any_code, until=until)
        job = Job(environments, unavailable, artifacts, journal, options)
        for saver, loader in pairs:
            taken = asked.rule or remedies(load_rules(), saver, loader)
            if asked.pairs:
                taken = drawn(taken, asked.pairs, asked.seed)
            for remedy in taken:
                cells = [
                    Cell(saver, one.model, loader, f"predictor{WITH}{remedy}", "compatload")
                    for one in artifacts
                    if one.saver == saver
                ]
                found.update(confirm(job, execute(job, cells)))
    found = {cell: result for cell, result in found.items() if result.outcome != "not run"}
    write(found)
    failed = {cell: result for cell, result in found.items() if _harm(result)}
    for cell, result in sorted(failed.items()):
        cause = result.error or result.difference
        say("  ".join(map(str, (cell.id, result.outcome, " ".join(result.rules), cause))))
    return 1 if failed else 0


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="matrix.remedies", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--release", action="append", choices=RELEASES, help="default: all")
    parser.add_argument("--rule", action="append", metavar="ID[,ID]", help="default: each, once")
    parser.add_argument("--pairs", type=int, default=0, metavar="N", help="so many, at once")
    parser.add_argument("--seed", type=int, default=1, help="of the pairs")
    parser.add_argument("--all", action="store_true", help="not only the faults' networks")
    parser.add_argument("--share", type=int, default=8, metavar="N", help="one of so many of those")
    parser.add_argument("--minutes", type=float, default=math.inf, help="start no cell later")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--timeout", type=float, default=60.0, metavar="SECONDS", help="a cell")
    parser.add_argument("--any-code", action="store_true", help="earlier results count, too")
    return parser.parse_args(arguments)


def faults(listing: Listing) -> list[str]:
    """The networks that show a fault: their constructs are what passes meet seldom."""
    return [name for name, about in listing.items() if "/faults/" in str(about["file"])]


def remedies(rules: Iterable[Rule], saver: str, loader: str) -> list[str]:
    """One rule for each thing that plans leave out of what a release saved in another, by id."""
    chosen: dict[tuple[Action, frozenset[str]], str] = {}
    for rule in rules:
        if rule.action in _TAKEN and any(_may_hold(one, saver, loader) for one in rule.when):
            chosen.setdefault((rule.action, frozenset(rule.parameters)), rule.id)
    return list(chosen.values())


def _may_hold(condition: Condition, saver: str, loader: str) -> bool:
    """Whether the release runs what the other saved as the condition has it."""
    format_ = "legacy" if saver == LEGACY else "pir"
    return SpecifierSet(condition.paddle).contains(loader) and all(
        not formats or format_ in formats for formats in (condition.runs_as, condition.formats)
    )


def drawn(single: Sequence[str], count: int, seed: int) -> list[str]:
    """Two remedies at once, the same every time."""
    pairs = [AND.join(pair) for pair in combinations(single, 2)]
    chosen = random.Random(seed)  # noqa: S311 (nothing is kept secret)
    return chosen.sample(pairs, min(count, len(pairs)))


def write(found: Mapping[Cell, Result]) -> None:
    """The counts of what was run here, beside those of other remedies and pairs."""
    told: dict[str, Any] = {"counts": {}, "not ok": []}
    if FILE.exists():
        told = json.loads(FILE.read_text(encoding="utf-8"))
    counts: dict[tuple[str, str], Counter[str]] = {}
    for cell, result in found.items():
        counts.setdefault(_counted(cell), Counter())[
            "refused" if _is_refused(result) else result.outcome
        ] += 1
    for (pair, remedy), outcomes in counts.items():
        told["counts"].setdefault(pair, {})[remedy] = dict(outcomes)
    others = [one for one in told["not ok"] if _counted(Cell.parse(one[0])) not in counts]
    failed = [
        [cell.id, result.outcome, result.error or f"difference {result.difference:g}"]
        for cell, result in sorted(found.items())
        if _harm(result)
    ]
    told = {
        "when": time.strftime("%Y-%m-%d %H:%M", time.gmtime()),
        "cells": sum(
            sum(outcomes.values()) for each in told["counts"].values() for outcomes in each.values()
        ),
        "counts": told["counts"],
        "not ok": sorted([*others, *failed]),
    }
    FILE.write_text(json.dumps(told, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def _is_refused(result: Result) -> bool:
    """Whether compatload says by itself, and before anything runs, that it does not do that."""
    return str(result.error).startswith(("IncompatibleError", "ConversionError"))


def _harm(result: Result) -> bool:
    return result.outcome != "ok" and not _is_refused(result)


def _counted(cell: Cell) -> tuple[str, str]:
    return f"{cell.saver} → {cell.loader}", cell.api.partition(WITH)[2]


if __name__ == "__main__":
    sys.exit(main())
