"""Shows for each rule a cell that is ok with it and fails without it.

    python -m matrix.evidence            every rule that acted in the committed results
    python -m matrix.evidence --rule CL201

Writes ``matrix/results/rules.json``: rule → ``shown``, the cells with what came of each without
the rule, and ``tried``, how many were looked at. A rule whose cells are ok without it too, or that
acted in none, is told in the report as not reproduced by a cell.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from compatload.faults.catalogue import load_rules
from matrix.cells import Cell, Result
from matrix.environments import home
from matrix.execution import Job, Options, confirm, execute
from matrix.journal import Journal
from matrix.packages import install as install_packages
from matrix.progress import say
from matrix.report import latest
from matrix.results import RESULTS, read, read_further
from matrix.run import failure, install
from matrix.saved_zoo import Listing, networks, save_zoo
from matrix.versions import TIERS, entries

FILE = RESULTS / "rules.json"
CANDIDATES = 12
SHOWN = 3


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="matrix.evidence", description=__doc__)
    parser.add_argument("--rule", action="append", default=[], metavar="ID")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--timeout", type=float, default=30.0)
    asked = parser.parse_args(arguments)
    cells, beside = read(RESULTS / latest()), read_further(RESULTS / "extra")
    # What no release shows, an entry beside them may.
    cells = {**beside, **cells}
    rules = asked.rule or sorted({rule for result in cells.values() for rule in result.rules})
    alone = {
        replace(c, caller="compatload"): r.outcome for c, r in cells.items() if c.caller == "paddle"
    }
    without = {rule.id: rule.without for rule in load_rules()}
    cells = {c: r for c, r in cells.items() if not set(rules).isdisjoint(r.rules)}
    table = [e for e in entries() if e.id in {i for c in cells for i in (c.saver, c.loader)}]
    environments, unavailable = install(table)
    install_packages()
    listing = networks(environments)
    wanted = {
        rule: candidates(
            rule, cells, listing, {c for c, outcome in alone.items() if outcome == without[rule]}
        )
        for rule in rules
    }
    ids = {cell for chosen in wanted.values() for cell in chosen}
    patterns = sorted({f"{cell.saver}/{cell.model}/*" for cell in ids})
    artifacts = save_zoo(table, environments, unavailable, asked.jobs, TIERS, patterns)
    found: dict[str, Any] = json.loads(FILE.read_text()) if asked.rule and FILE.exists() else {}
    with Journal(home() / "journal.jsonl") as journal:
        for rule, chosen in wanted.items():
            options = Options(asked.jobs, asked.timeout, (rule,))
            job = Job(environments, unavailable, artifacts, journal, options)
            seen = told(cells, chosen, confirm(job, execute(job, chosen)))
            say(f"{rule}: {len(seen['shown'])} shown of {len(chosen)} tried")
            if seen["shown"] or not found.get(rule, seen)["shown"]:
                found[rule] = seen
            else:
                say(f"{rule}: what was shown before is kept, since the CPU here may be another")
    FILE.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return 0


def candidates(
    rule: str,
    cells: Mapping[Cell, Result],
    listing: Listing,
    alone: Collection[Cell] = frozenset(),
) -> list[Cell]:
    """Cells that are ok with the rule; first those that differ most from one another.

    Those in which Paddle ``alone`` does what the rule says come first; of these and of the others
    committed fixtures before networks of the zoo, which have to be saved first, and whole models
    last: most need packages that only the full matrix installs.
    """
    acted = [c for c, r in sorted(cells.items()) if rule in r.rules and r.outcome == "ok"]
    acted.sort(key=lambda cell: (cell not in alone, _effort(cell.model, listing)))
    chosen: list[Cell] = []
    seen: set[tuple[str, ...]] = set()
    for kind in (lambda c: (c.loader, c.api), lambda c: (c.model,), lambda c: (c.id,)):
        for cell in acted:
            if len(chosen) < CANDIDATES and kind(cell) not in seen and cell not in chosen:
                seen.add(kind(cell))
                chosen.append(cell)
    return chosen


def _effort(model: str, listing: Listing) -> int:
    if model.startswith("fixture:"):
        return 0
    # A network that only some releases save is a whole model.
    return 2 if listing.get(model, {}).get("savers") else 1


def told(
    cells: Mapping[Cell, Result], chosen: Sequence[Cell], without: Mapping[Cell, Result]
) -> dict[str, Any]:
    """What is written of one rule, the cells in the order they were chosen in."""
    fails = [
        {"cell": cell.id, "with": cells[cell].to_dict(), "without": without[cell].to_dict()}
        for cell in chosen
        if failure(without[cell])
    ]
    return {"tried": len(without), "shown": fails[:SHOWN]}


if __name__ == "__main__":
    sys.exit(main())
