"""Build the matrix: every release saves, every release loads, with Paddle's call and compatload's.

    python -m matrix.run --quick                           2.6.2, 3.0.0, 3.3.1, one network of 8
    python -m matrix.run --full                            every release
    python -m matrix.run --only '2.6.2/lstm/3.3.1/jit/*'   those cells, shown one by one
    python -m matrix.run --full --rule CL201               the cells whose plan used that rule
    python -m matrix.run --only CELL --without CL201       without that rule
    python -m matrix.run --extra 3.0.0rc1                  another entry, beside the releases
    python -m matrix.run --full --save-only                only what is to be loaded, no cell
    python -m matrix.run --full --redo --only CELLS        those cells of the committed results
    python -m matrix.run --full --stale                    cells that were never run, or whose plan
                                                           (with --handed: whatever is handed to
                                                           Paddle) is no longer what it was

A run that was killed goes on where it stopped: what was run before with the same code, the same
saved network and the same environment is not run again, unless ``--fresh`` says so.
Exit status: 0 every cell of compatload is ok or could not be run, 1 one is not, 2 misuse.
"""

from __future__ import annotations

import argparse
import math
import os
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from matrix.artifacts import Artifact
from matrix.cells import APIS, CALLERS, Cell, Result, chosen
from matrix.environments import Environment, EnvironmentUnavailableError, ensure, home
from matrix.execution import Job, Options, confirm, execute
from matrix.handed import Recording, unchanged
from matrix.journal import Journal
from matrix.machines import machines_of
from matrix.packages import install as install_packages
from matrix.plans import compared
from matrix.progress import say
from matrix.results import RESULTS, Finished, read, write
from matrix.saved_zoo import save_zoo
from matrix.versions import QUICK_SHARE, TIERS, Entry, entries, meets, of_tier, quick_releases


def main(arguments: Sequence[str] | None = None) -> int:
    asked = parse(arguments)
    table = chosen_entries(asked)
    if not table:
        say("no entry of versions.toml fits")
        return 2
    started = time.time()
    home().mkdir(parents=True, exist_ok=True)
    environments, unavailable = install(table)
    install_packages()
    tiers = TIERS if asked.only else TIERS[: TIERS.index(asked.tier) + 1]
    share = asked.share or (QUICK_SHARE if is_sample(asked) else 1)
    artifacts = save_zoo(
        needed(table, asked), environments, unavailable, asked.jobs, tiers, asked.only, share
    )
    if asked.save_only:
        return show_saved(artifacts)
    cells = all_cells(artifacts, table, asked)
    if not cells:
        say("no cell fits")
        return 2
    journal_file = home() / "journal.jsonl"
    if asked.fresh:
        journal_file.unlink(missing_ok=True)
    until = time.monotonic() + 60 * asked.minutes
    same = unchanged(*map(Recording.read, asked.handed)) if asked.handed else frozenset()
    options = Options(asked.jobs, asked.timeout, tuple(asked.without), False, same, until)
    with Journal(journal_file) as journal:
        job = Job(environments, unavailable, artifacts, journal, options)
        kept = still_valid(cells, job, asked) if joins(asked) else {}
        ran = confirm(job, execute(job, [cell for cell in cells if cell not in kept]))
        found = {**kept, **ran}
    if journal.unwritten:
        say(f"the journal could not be written: {journal.unwritten}; a new run starts over")
    show(found, each=bool(asked.rule or (asked.only and not results_folder(asked))))
    if kept:
        print(f"{len(ran):,} of them run now, {len(kept):,} as committed")
    if folder := results_folder(asked):
        earlier = sum(not job.is_current(c) for c, r in ran.items() if r.outcome != "not run")
        finished = Finished(
            *(asked.tier, started, found, artifacts, environments, unavailable),
            earlier=earlier + len(kept),
            only=tuple(asked.only),
            joining=len(ran) if joins(asked) else None,
        )
        try:
            write(folder, finished)
        except OSError as error:  # the journal holds what was found
            say(f"{folder} could not be written: {error.strerror}; run again when it can be")
            return 1
        say(f"wrote {folder}")
    failed = [c for c, r in found.items() if c.caller == "compatload" and failure(r)]
    return 1 if failed else 0


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="matrix.run", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    tier = parser.add_mutually_exclusive_group()
    tier.add_argument("--quick", dest="tier", action="store_const", const="quick")
    tier.add_argument("--full", dest="tier", action="store_const", const="full")
    parser.set_defaults(tier="quick")
    parser.add_argument("--only", action="append", default=[], metavar="CELLS", help="a pattern")
    parser.add_argument("--rule", metavar="ID", help="only cells that used this rule before")
    parser.add_argument("--without", action="append", default=[], metavar="ID", help="a rule off")
    parser.add_argument("--release", action="append", default=[], metavar="ID", help="an entry")
    parser.add_argument("--extra", metavar="ID", help="an entry, with the quick releases")
    parser.add_argument("--into", metavar="NAME", help="results of some cells, beside the others")
    parser.add_argument("--stale", action="store_true", help="only cells that need a new run")
    parser.add_argument("--redo", action="store_true", help="the cells of --only join the others")
    parser.add_argument("--api", action="append", choices=APIS, help="default: all three")
    parser.add_argument("--caller", action="append", choices=CALLERS, help="default: both")
    parser.add_argument("--share", type=int, metavar="N", help="one network of so many a family")
    parser.add_argument("--save-only", action="store_true", help="run no cell")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--timeout", type=float, default=30.0, metavar="SECONDS", help="a cell")
    parser.add_argument(
        "--minutes", type=float, default=math.inf, help="start no cell later than that"
    )
    parser.add_argument("--fresh", action="store_true", help="forget what was run before")
    parser.add_argument(
        "--handed",
        nargs=2,
        type=Path,
        metavar=("THEN", "NOW"),
        help="recordings of matrix.handed: what is handed over unchanged needs no new run",
    )
    asked = parser.parse_args(arguments)
    if asked.redo and not asked.only:
        parser.error("--redo wants --only: without it, every cell would be run again")
    return asked


def is_sample(asked: argparse.Namespace) -> bool:
    """Whether a run is the quick one, and nothing else was asked for."""
    return asked.tier == "quick" and not (
        asked.only or asked.rule or asked.release or asked.extra or asked.into
    )


def chosen_entries(asked: argparse.Namespace) -> list[Entry]:
    """Those named, else those that the patterns name, else those of the tier."""
    table = entries()
    if asked.release:
        return [entry for entry in table if entry.id in asked.release]
    if asked.extra:
        return [entry for entry in table if entry.tier == "quick" or entry.id == asked.extra]
    if asked.only:
        named = {part for pattern in asked.only for part in pattern.split("/")[0:3:2]}
        if not any("*" in name or "?" in name or "[" in name for name in named):
            return [entry for entry in table if entry.id in named]
    return of_tier(asked.tier, table)


def needed(table: Sequence[Entry], asked: argparse.Namespace) -> Sequence[Entry]:
    """The entries whose networks are loaded: of an entry that loads nothing only its own are."""
    alone = [entry for entry in table if entry.id == asked.extra and "load" not in entry.roles]
    return alone or table


def install(
    table: Sequence[Entry],
) -> tuple[dict[str, Environment], dict[str, str]]:
    """The environments, and for each that cannot be made, why."""
    environments: dict[str, Environment] = {}
    unavailable: dict[str, str] = {}
    for entry in table:
        try:
            environments[entry.id] = ensure(entry)
        except EnvironmentUnavailableError as error:
            unavailable[entry.id] = str(error)
            say(f"not available: {error}")
    return environments, unavailable


def all_cells(
    artifacts: Sequence[Artifact], table: Sequence[Entry], asked: argparse.Namespace
) -> list[Cell]:
    """Every cell of the run, or those asked for."""
    quick = quick_releases(table)
    cells = [
        Cell(artifact.saver, artifact.model, entry.id, api, caller)
        for artifact in artifacts
        for entry in table
        if "load" in entry.roles
        if asked.only or meets(artifact.tier, (artifact.saver, entry.id), quick)
        if asked.extra in (None, artifact.saver, entry.id)
        for api in asked.api or APIS
        for caller in asked.caller or CALLERS
    ]
    cells = chosen(cells, asked.only)
    if not asked.rule:
        return cells
    before = read(RESULTS / asked.tier)
    return [cell for cell in cells if cell in before and asked.rule in before[cell].rules]


def still_valid(cells: Sequence[Cell], job: Job, asked: argparse.Namespace) -> dict[Cell, Result]:
    """The committed results that hold for the code as it is now, or are not asked for."""
    folder, wanted = RESULTS / asked.tier, set(cells)
    before = read(folder)
    if asked.redo:
        return {cell: one for cell, one in before.items() if cell not in wanted}
    ours = {c: one for c, one in before.items() if c.caller == "compatload" and c in wanted}
    stale = {cell for cell, then, now in compared(ours, machines_of(folder)) if then != now}
    if asked.handed:
        stale |= {cell for cell in ours if not job.is_unchanged(cell)}
    return {cell: one for cell, one in before.items() if cell not in stale}


def results_folder(asked: argparse.Namespace) -> Path | None:
    """Where the results go; None for a look at some cells, which replaces no results."""
    if asked.rule or asked.without:
        return None
    if asked.into or asked.extra:
        return RESULTS / "extra" / (asked.into or asked.extra)
    limited = (asked.only or asked.release) and not joins(asked)
    return None if limited else RESULTS / asked.tier


def joins(asked: argparse.Namespace) -> bool:
    """Whether what is run goes beside what was committed."""
    return bool(asked.stale or asked.redo)


def failure(result: Result) -> bool:
    return result.outcome in ("wrong", "error", "crash", "hang")


def show_saved(artifacts: Sequence[Artifact]) -> int:
    """What was saved, and why the others were not; the exit status."""
    for one in artifacts:
        if one.error is not None:
            print(f"{one.saver}/{one.model}  {one.error}")
    for saver, count in Counter(one.saver for one in artifacts if one.error is None).items():
        print(f"{saver}: {count} saved")
    return 0 if any(one.error is None for one in artifacts) else 2


def show(found: Mapping[Cell, Result], *, each: bool) -> None:
    """Counts by caller and outcome; with ``each`` every cell on a line."""
    if each:
        for cell, result in sorted(found.items()):
            parts = [cell.id, result.outcome]
            parts += [f"difference {result.difference:g}"] if result.difference is not None else []
            parts += [" → ".join(result.steps)] if result.steps else []
            parts += [f"[{', '.join(result.rules)}]"] if result.rules else []
            parts += [result.error] if result.error else []
            print("  ".join(parts))
    for caller in CALLERS:
        counts = Counter(r.outcome for c, r in found.items() if c.caller == caller)
        if counts:
            told = ", ".join(f"{count} {outcome}" for outcome, count in counts.most_common())
            print(f"{caller}: {told}")


if __name__ == "__main__":
    sys.exit(main())
