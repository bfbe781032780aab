"""Writes REPORT.md, the table of docs/why/matrix.md and, on demand, the heat map.

All from committed results:

    python -m matrix.report            the full run's results, or the quick one's if there are none
    python -m matrix.report --check    say what is out of date, and exit with 1
    python -m matrix.report --heatmap  write matrix/heatmap.html, which is not committed

Nothing here is measured: every number is counted from ``matrix/results``.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from packaging.version import InvalidVersion, Version

from matrix.cells import APIS, CALLERS, OUTCOMES, Cell, Result
from matrix.emulation.report import read_rows
from matrix.emulation.report import report as x86_report
from matrix.markdown import table
from matrix.pool import ROOT
from matrix.results import RESULTS, about, read
from matrix.rule_table import rule_table
from matrix.selftest_records import records, selftest_table
from matrix.versions import Entry, entries

REPORT = ROOT / "matrix/REPORT.md"
RULES = RESULTS / "rules.json"
EXTRA = RESULTS / "extra"
SELFTEST = RESULTS / "selftest"
HEATMAP = ROOT / "matrix/heatmap.html"
TEMPLATE = ROOT / "matrix/heatmap_template.html"
PAGE = ROOT / "docs/why/matrix.md"
BEGIN, END = "<!-- matrix:begin -->", "<!-- matrix:end -->"
DATA_MARK = "/*DATA*/null"
EXAMPLES = 3
Cells = Mapping[Cell, Result]
Run = tuple[Mapping[str, Any], Cells]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="matrix.report", description=__doc__)
    parser.add_argument("--tier", choices=("quick", "full"))
    wanted = parser.add_mutually_exclusive_group()
    wanted.add_argument("--check", action="store_true")
    wanted.add_argument("--heatmap", action="store_true")
    asked = parser.parse_args(arguments)
    folder = RESULTS / (asked.tier or latest())
    if not (folder / "run.json").exists():
        print(f"no results in {folder}: run python -m matrix.run first", file=sys.stderr)
        return 2
    if asked.heatmap:
        HEATMAP.write_text(heatmap(folder, about(folder)), encoding="utf-8")
        return 0
    stale = [path for path, text in written(folder).items() if content(path) != text]
    if asked.check:
        for path in stale:
            print(f"{path.relative_to(ROOT)} is not what the results say: python -m matrix.report")
        return 1 if stale else 0
    for path, text in written(folder).items():
        path.write_text(text, encoding="utf-8")
    return 0


def latest() -> str:
    """The widest run there are results of."""
    return "full" if (RESULTS / "full/run.json").exists() else "quick"


def content(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.exists() else ""


def written(folder: Path) -> dict[Path, str]:
    """What every committed file that is generated should hold."""
    told, cells = about(folder), read(folder)
    shown = json.loads(content(RULES) or "{}")
    others = {path.parent.name: path.parent for path in sorted(EXTRA.glob("*/run.json"))}
    extra = {name: (about(where), read(where)) for name, where in others.items()}
    files = {REPORT: report(told, cells, shown, extra)}
    page = content(PAGE)
    if BEGIN in page:
        files[PAGE] = with_block(page, page_block(told, cells))
    return files


def with_block(text: str, block: str) -> str:
    """``text`` with what stands between the marks replaced."""
    head, rest = text.split(BEGIN, 1)
    tail = rest.split(END, 1)[1]
    return f"{head}{BEGIN}\n{block}\n{END}{tail}"


# --- tables -----------------------------------------------------------------------------------


def page_block(told: Mapping[str, Any], cells: Cells) -> str:
    """The table by saver and loader, and one line about the run."""
    totals = " ".join(f"{caller}: {counted(cells, caller)}." for caller in CALLERS)
    return f"{pair_table(cells, unreached(told))}\n\n{sentence(told)} {totals}{earlier(told)}"


def sentence(told: Mapping[str, Any]) -> str:
    machine = told["machine"]
    return (
        f"{told['cells']:,} cells of the {told['tier']} matrix, run on {told['date']}, "
        f"{machine['cpu']}, {machine['cores']} cores, {machine['system']} "
        f"({machine['architecture']}; {told['kind']})."
    )


def earlier(told: Mapping[str, Any]) -> str:
    """How many answers are older than the code of the commit that is named."""
    count = told.get("earlier_code", 0)
    if not count:
        return ""
    return (
        f" {count:,} of the cells were run with earlier code, and nobody asked whether it handed "
        "the same to Paddle (`matrix.handed`)."
    )


def unreached(told: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Pairs of saver and loader that the run had no time for."""
    return [(saver, loader) for saver, loader in told.get("pairs_not_reached", ())]


def counted(cells: Cells, caller: str) -> str:
    """``"640 of 680 ok, 30 error, 10 crash"``; what could not be run is no part of the total."""
    counts = Counter(result.outcome for cell, result in cells.items() if cell.caller == caller)
    absent = counts.pop("not run", 0)
    parts = [f"{counts['ok']:,} of {sum(counts.values()):,} ok"]
    parts += [f"{counts[o]:,} {o}" for o in OUTCOMES[1:] if counts[o]]
    return ", ".join(parts) + (f" ({absent:,} not run)" if absent else "")


def pair_table(cells: Cells, absent: Sequence[tuple[str, str]] = ()) -> str:
    """Saved by × loaded by; each field is what works with Paddle's call → with compatload."""
    savers = releases([*(c.saver for c in cells), *(saver for saver, _ in absent)])
    loaders = releases([*(c.loader for c in cells), *(loader for _, loader in absent)])
    counts: dict[tuple[str, str, str], Counter[str]] = defaultdict(Counter)
    for cell, result in cells.items():
        counts[cell.saver, cell.loader, cell.caller][result.outcome] += 1

    def field(saver: str, loader: str) -> str:
        shares = [share(counts[saver, loader, caller]) for caller in CALLERS]
        return " → ".join(one or "–" for one in shares) if any(shares) else "not run"

    rows = [[f"**{s}**", *(field(s, loader) for loader in loaders)] for s in savers]
    return table(["saved by ↓ / loaded by →", *loaders], rows)


def share(counts: Counter[str]) -> str:
    """Percent that are ok, never rounded up to 100; crashes and wrong results are told."""
    total = sum(counts.values()) - counts["not run"]
    if not total:
        return ""
    percent = counts["ok"] * 1000 // total / 10
    shown = f"{percent:g} %"
    worst = [f"{counts[o]} {o}" for o in ("crash", "wrong") if counts[o]]
    return f"{shown} ({', '.join(worst)})" if worst else shown


def api_table(cells: Cells) -> str:
    rows = []
    for api in APIS:
        own = {cell: result for cell, result in cells.items() if cell.api == api}
        rows.append([api, *(counted(own, caller) for caller in CALLERS)])
    return table(["API", *CALLERS], rows)


def releases(found: Iterable[str]) -> list[str]:
    """Each once, oldest first; names that are no versions come last."""

    def order(name: str) -> tuple[bool, Version | str]:
        try:
            return False, Version(name)
        except InvalidVersion:
            return True, name

    return sorted(set(found), key=order)


# --- the report -------------------------------------------------------------------------------


def report(
    told: Mapping[str, Any],
    cells: Cells,
    shown: Mapping[str, Any],
    extra: Mapping[str, Run],
) -> str:
    """REPORT.md.

    Args:
        shown: what ``evidence`` wrote of each rule.
        extra: runs of entries beside the releases, by the entry's id.
    """
    rows = read_rows(RESULTS / "x86")
    further_cells = {cell: one for _, run in extra.values() for cell, one in run.items()}
    parts = [
        "# The tested matrix",
        "Generated by `python -m matrix.report` from `matrix/results`; do not edit. "
        "Each cell: one saved network, loaded and run by one release through one API, in a process "
        "of its own, and compared with what the eager layer gave when it was saved "
        "(largest |a − b| / max(1, |b|), 1e-5 unless the network says otherwise).",
        sentence(told) + f" Commit {told['commit']}." + earlier(told),
        "## All in all",
        table(["called", "outcome"], [[caller, counted(cells, caller)] for caller in CALLERS]),
        "## By saver and loader",
        "Share of cells that are ok: Paddle's own call → compatload.",
        pair_table(cells, unreached(told)),
        "## By API",
        api_table(cells),
        "## Where compatload fails",
        causes(cells, "compatload"),
        "## Where Paddle's own call fails",
        causes(cells, "paddle"),
        "## Rules and the cells that show them",
        "With the rule left out (`--without`), the cell fails as told; without a cell, what else "
        "shows the rule.",
        rule_table(cells, shown, rows, further_cells),
        "## x86 processors",
        x86_report(rows) if rows else "None was run.",
        "## Further runs",
        further(extra, entries()),
        "## Measured by `compatload selftest`",
        selftest_table(records(SELFTEST)),
        "## Not run",
        not_run(told, cells),
        "## Networks",
        table(
            ["family", "number", "networks"],
            [[f, str(len(m)), ", ".join(m)] for f, m in told["families"].items()],
        ),
        "## Installed",
        table(
            ["entry", "packages", "wheel (SHA-256 of its RECORD)"],
            [[i, *installed(one)] for i, one in told["environments"].items()],
        ),
    ]
    return "\n\n".join(parts) + "\n"


def installed(one: Mapping[str, Any]) -> tuple[str, str]:
    if "unavailable" in one:
        return f"not available: {one['unavailable']}", ""
    wanted = ("paddlepaddle", "numpy", "protobuf")
    shown = [package for package in one["packages"] if package.lower().startswith(wanted)]
    return ", ".join(shown), f"`{one['record_sha256'][:16]}…`"


def causes(cells: Cells, caller: str) -> str:
    """Failures grouped by what was said, most frequent first."""
    groups: dict[tuple[str, str], list[Cell]] = defaultdict(list)
    for cell, result in sorted(cells.items()):
        if cell.caller == caller and result.outcome in ("wrong", "error", "crash", "hang"):
            groups[result.outcome, result.error or "wrong numbers"].append(cell)
    if not groups:
        return "Nowhere."
    rows = [
        [
            outcome,
            str(len(found)),
            ", ".join(releases(cell.loader for cell in found)),
            f"`{said.replace('`', chr(39))}`",
            ", ".join(f"`{cell.id}`" for cell in found[:EXAMPLES]),
        ]
        for (outcome, said), found in sorted(groups.items(), key=lambda item: -len(item[1]))
    ]
    return table(["outcome", "cells", "loaded by", "said", "for example"], rows)


def further(extra: Mapping[str, Run], table_: Sequence[Entry]) -> str:
    """Runs beside the releases: what came of each entry, or that it was not run; then others."""
    parts = []
    beside = {entry.id: entry for entry in table_ if entry.tier == "extra"}
    for name in [*beside, *(name for name in extra if name not in beside)]:
        entry = beside.get(name)
        parts.append(f"### {name} ({entry.requirements[0]})" if entry else f"### {name}")
        notes = "".join(f" {note}." for note in entry.missing) if entry else ""
        if name not in extra:
            again = f"`python -m matrix.run --extra {name}`"
            parts.append(f"Not run; where it can be installed: {again}.{notes}")
            continue
        told, cells = extra[name]
        limits = ", ".join(f"`{pattern}`" for pattern in told["only"])
        limited = f" Only the cells {limits} were run." if limits else ""
        counts = " ".join(f"{caller}: {counted(cells, caller)}." for caller in CALLERS)
        parts += [
            f"{sentence(told)}{limited}{earlier(told)} {counts}{notes}",
            pair_table(cells, unreached(told)),
            causes(cells, "compatload"),
        ]
    return "\n\n".join(parts) or "There are none."


def not_run(told: Mapping[str, Any], cells: Cells) -> str:
    reasons = Counter(
        result.error or "no reason given"
        for result in cells.values()
        if result.outcome == "not run"
    )
    rows = [[f"{n:,}", why] for why, n in reasons.most_common()]
    if pairs := unreached(told):
        listed = ", ".join(f"{saver} → {loader}" for saver, loader in pairs)
        rows.append([f"{told['cells_not_reached']:,}", f"the run had no time for them: {listed}"])
    return table(["cells", "why"], rows) if rows else "Everything was run."


# --- the heat map -----------------------------------------------------------------------------


def heatmap(folder: Path, told: Mapping[str, Any]) -> str:
    """One HTML file that holds its data and needs nothing else."""
    files = [json.loads(content(p)) for p in sorted(folder.glob("*.json")) if p.name != "run.json"]
    order = releases(one["loader"] for one in files)
    files.sort(key=lambda one: order.index(one["loader"]))
    data = json.dumps({"about": told, "files": files}, ensure_ascii=False, separators=(",", ":"))
    # "</" would end the script element that the data stands in.
    return content(TEMPLATE).replace(DATA_MARK, data.replace("</", "<\\/"))


if __name__ == "__main__":
    sys.exit(main())
