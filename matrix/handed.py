"""Writes down what every load plans and hands to Paddle, and compares two such recordings.

    python -m matrix.handed record base.jsonl.gz --code /checkout/of/83f4521
    python -m matrix.handed record new.jsonl.gz              this checkout
    python -m matrix.handed record some.jsonl.gz --only '2.6.2/lstm*/3.3.1/*' --share 10
    python -m matrix.handed record again.jsonl.gz --recalled what a second load takes from the cache
    python -m matrix.handed record more.jsonl.gz --onto base.jsonl.gz --code …  what base lacks
    python -m matrix.handed compare base.jsonl.gz new.jsonl.gz   [--no-plans] [--list]

A cell is ``saver/network/release/api``: each fixture and each network that the matrix has saved, in
each release that is installed, by each of ``recorder.APIS``. Nothing is loaded or run, so a cell
takes some 10 ms; what Paddle would be given is the evidence that a change of the code changes no
load. Networks that were saved anew between two recordings are told and not compared.
Exit status of compare: 0 no difference, 1 there is one, 2 nothing to compare.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any

from compatload import detect_runtime
from matrix.artifacts import FIXTURES, digest_of
from matrix.calls import Saved
from matrix.environments import ensure, home, installed
from matrix.pool import ROOT, environment
from matrix.progress import progress, say
from matrix.recorder import APIS
from matrix.versions import entries

RECORDER = Path(__file__).resolve().parent / "recorder.py"
_PROCESS = 1000  # cells that one process records
_EXAMPLES = 3
_COMMIT = re.compile(r"[0-9a-f]{40}")
Line = Mapping[str, Any]


@dataclass(frozen=True)
class Recording:
    """``about`` how it was made, a line a cell, and what the short hashes of options stand for."""

    about: Line
    cells: Mapping[str, Line]
    meanings: Mapping[str, Any]

    @classmethod
    def read(cls, path: Path) -> Recording:
        """Raises OSError or ValueError for what is no recording."""
        with gzip.open(path, "rt", encoding="utf-8") as file:
            about, *lines, last = map(json.loads, file)
        return cls(about["about"], {line["cell"]: line for line in lines}, last["meanings"])


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="matrix.handed", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    verbs = parser.add_subparsers(dest="verb", required=True)
    make = verbs.add_parser("record")
    make.add_argument("into", type=Path, metavar="FILE.jsonl.gz")
    make.add_argument("--code", type=Path, default=ROOT, help="a checkout; default: this one")
    make.add_argument("--only", action="append", default=[], metavar="CELLS", help="a pattern")
    make.add_argument("--api", action="append", choices=APIS, help="default: all")
    make.add_argument("--share", type=int, default=1, metavar="N", help="one cell of so many")
    make.add_argument("--without", action="append", default=[], metavar="ID", help="a rule off")
    make.add_argument("--onto", type=Path, metavar="FILE", help="keep what that recording has")
    make.add_argument("--recalled", action="store_true", help="load twice, with a cache")
    make.add_argument("--jobs", type=int, default=1)
    match = verbs.add_parser("compare")
    match.add_argument("before", type=Path)
    match.add_argument("now", type=Path)
    match.add_argument(
        "--no-plans", action="store_true", help="only what is handed over, however it was planned"
    )
    match.add_argument("--list", action="store_true", help="names of the cells that differ")
    asked = parser.parse_args(arguments)
    try:
        if asked.verb == "record":
            return record(asked)
        before, now = Recording.read(asked.before), Recording.read(asked.now)
        return compare(before, now, plans=not asked.no_plans, each=asked.list)
    except (OSError, ValueError) as error:
        say(str(error))
        return 2


def record(asked: argparse.Namespace) -> int:
    """Write the recording of what was asked for."""
    code = asked.code.resolve()
    if not (code / "compatload/__init__.py").exists():
        raise ValueError(f"{code} is no checkout of compatload")
    extra = {"without": asked.without, "recalled": asked.recalled}
    cells = [{**one, **extra} for one in chosen(asked.only, asked.api or APIS)][:: asked.share]
    about = {**extra, "code": commit(code), "cpu": sorted(detect_runtime().cpu.features)}
    known, meanings = kept(asked.onto, about, cells) if asked.onto else ({}, {})
    lines = recorded([one for one in cells if one["cell"] not in known], code, asked.jobs)
    unfinished = asked.into.with_name(f"{asked.into.name}.{os.getpid()}")
    try:
        with gzip.open(unfinished, "wt", encoding="utf-8") as file:
            print(json.dumps({"about": about}), file=file)
            for cell in cells:
                line = dict(known.get(cell["cell"]) or next(lines))
                meanings.update(line.pop("meanings", {}))
                print(json.dumps({**line, "sha256": fingerprint(line)}), file=file)
            print(json.dumps({"meanings": meanings}), file=file)
        unfinished.replace(asked.into)
    finally:
        unfinished.unlink(missing_ok=True)
    say(f"wrote {asked.into}: {len(cells)} cells of {about['code']}")
    return 0 if cells else 2


def kept(
    earlier: Path, about: Line, cells: Sequence[Line]
) -> tuple[dict[str, Line], dict[str, Any]]:
    """Of an earlier recording of the same commit, the cells whose network is the same."""
    recording = Recording.read(earlier)
    if recording.about != about or not _COMMIT.fullmatch(about["code"]):
        raise ValueError(
            f"{earlier} is of other code, of none that is committed, or of another CPU"
        )
    networks = {one["cell"]: one["network"] for one in cells}
    same = {c: one for c, one in recording.cells.items() if networks.get(c) == one["network"]}
    return same, dict(recording.meanings)


def chosen(patterns: Sequence[str], apis: Sequence[str]) -> Iterator[dict[str, Any]]:
    """What the recorder is told of each cell that fits any pattern, release after release."""
    folders = at_hand()
    about = cache(lambda folder: (digest_of(folder), Saved.read(folder)))
    for entry in entries():
        if "load" not in entry.roles or not installed(entry):
            continue
        for network, folder in folders.items():
            for api in apis:
                cell = f"{network}/{entry.id}/{api}"
                if patterns and not any(fnmatchcase(cell, one) for one in patterns):
                    continue
                digest, files = about(folder)
                if api == "in_memory" and len(files.files) < 2:
                    continue  # loose weights are no bytes to be passed on
                request = {"cell": cell, "api": api, "network": digest}
                yield {**request, "path": files.path, "files": files.files}


def at_hand() -> dict[str, Path]:
    """``saver/network`` → folder of the committed fixtures and of all that was saved here."""
    found = {
        f"{record.parts[-3]}/fixture:{record.parts[-2]}": record.parent
        for record in FIXTURES.glob("*/*/case.json")
    }
    for note in (home() / "artifacts").glob("*/*/origin.json"):
        found["/".join(note.parts[-3:-1])] = note.parent
    return dict(sorted(found.items()))


def _release(cell: Line) -> str:
    return str(cell["cell"].split("/")[2])


def commit(code: Path) -> str:
    """The commit of a checkout, or its folder; ``+`` if something in it is not committed."""
    git = ["git", "-C", str(code)]
    head = subprocess.run([*git, "rev-parse", "HEAD"], capture_output=True, text=True, check=False)
    if head.returncode:
        return str(code)
    changed = subprocess.run(
        [*git, "status", "--porcelain", "compatload"], capture_output=True, text=True, check=False
    )
    return head.stdout.strip() + ("+" if changed.stdout.strip() else "")


def recorded(cells: Sequence[Line], code: Path, jobs: int) -> Iterator[dict[str, Any]]:
    """A line for each cell, in their order."""
    several = [list(of_release) for _, of_release in groupby(cells, _release)]
    batches = [
        one[start : start + _PROCESS] for one in several for start in range(0, len(one), _PROCESS)
    ]
    with progress("recording", len(cells)) as advance, ThreadPoolExecutor(jobs) as threads:
        for lines in threads.map(lambda batch: answered(batch, code), batches):
            for line in lines:
                advance()
                yield line


def answered(cells: Sequence[Line], code: Path) -> list[dict[str, Any]]:
    """A line for each cell; where its process dies, another goes on behind it."""
    release = _release(cells[0])
    python = ensure(next(entry for entry in entries() if entry.id == release)).python
    lines: list[dict[str, Any]] = []
    while len(lines) < len(cells):
        waiting = cells[len(lines) :]
        status, found = _answers(python, code, waiting)
        lines += found
        if len(found) < len(waiting):
            died = signal.Signals(-status).name if status < 0 else f"exit status {status}"
            lines.append({"cell": waiting[len(found)]["cell"], "plan": {"error": died}})
    return [{**line, "network": cell["network"]} for cell, line in zip(cells, lines)]


def _answers(python: str, code: Path, cells: Sequence[Line]) -> tuple[int, list[dict[str, Any]]]:
    """How the recorder ended, and its answers until then. Raises OSError if it did not start."""
    with tempfile.TemporaryDirectory(prefix="handed-") as folder:
        variables = {k: v for k, v in environment(home()).items() if k != "PYTHONPATH"}
        if cells[0]["recalled"]:
            variables["COMPATLOAD_CACHE"] = f"{folder}/cache"
        done = subprocess.run(
            [python, str(RECORDER), str(code)],
            input="".join(json.dumps(cell) + "\n" for cell in cells),
            capture_output=True,
            text=True,
            errors="replace",
            env=variables,
            cwd=folder,
            check=False,
        )
    first, *answers = done.stdout.splitlines() or [""]
    if not first:
        last = done.stderr.strip().splitlines()[-1:] or ["it said nothing"]
        raise OSError(f"the recorder did not start in {python}: {last[0]}")
    if Path(json.loads(first)["compatload"]).parents[1] != code:
        raise OSError(f"{python} imports compatload from {first}, not from {code}")
    return done.returncode, [json.loads(one) for one in answers]


def fingerprint(line: Line) -> str:
    """Changes with whatever a load hands over: a cell whose own is the same needs no new run."""
    handed = json.dumps([line.get("handed"), line.get("further")], sort_keys=True)
    return hashlib.sha256(handed.encode()).hexdigest()


def unchanged(before: Recording, now: Recording) -> frozenset[str]:
    """Cells to which both hand the same, of the same network: what one was seen to do holds."""
    return frozenset(
        cell
        for cell, line in now.cells.items()
        if cell in before.cells
        and line["network"] == before.cells[cell]["network"]
        and "error" not in line["plan"]
        and line["sha256"] == before.cells[cell]["sha256"]
    )


def compare(before: Recording, now: Recording, *, plans: bool = True, each: bool = False) -> int:
    """Print what differs, cells of one kind together; the exit status."""
    common = [cell for cell in before.cells if cell in now.cells]
    anew = [c for c in common if before.cells[c]["network"] != now.cells[c]["network"]]
    brief = bool(before.about["recalled"] or now.about["recalled"])
    kinds: dict[str, list[str]] = defaultdict(list)
    for cell in common:
        old, new = before.cells[cell], now.cells[cell]
        if old["network"] != new["network"]:
            continue
        if told := difference(old, new, plans=plans, brief=brief):
            kinds["; ".join(told)].append(cell)
    for what, cells in sorted(kinds.items(), key=lambda one: -len(one[1])):
        print(f"{len(cells):6,} cells: {what}")
        for cell in cells if each else cells[:_EXAMPLES]:
            print(f"        {cell}")
        for line in options_changed(before, now, cells[0]) if not each else ():
            print(f"          {line}")
    differing = sum(map(len, kinds.values()))
    for name, one, other in (("before", before, now), ("now", now, before)):
        if only := len(one.cells.keys() - other.cells.keys()):
            print(f"{only:,} cells are only in the recording of {name}")
    if anew:
        print(f"{len(anew):,} cells are not compared: their network was saved anew ({anew[0]})")
    if before.about["cpu"] != now.about["cpu"]:
        print("the two were recorded on different CPUs, which plans depend on")
    steady = sum("unsteady" not in line for line in now.cells.values())
    if steady < len(now.cells):
        print(f"{len(now.cells) - steady:,} cells handed over something else a moment later")
    compared = len(common) - len(anew)
    print(f"{compared:,} cells compared, {differing:,} differ: {named(before)} → {named(now)}")
    return 1 if differing else 0 if compared else 2


def named(recording: Recording) -> str:
    extra = [f"without {one}" for one in recording.about["without"]]
    extra += ["recalled"] if recording.about["recalled"] else []
    return " ".join([recording.about["code"][:12], *extra])


def difference(before: Line, now: Line, *, plans: bool = True, brief: bool = False) -> list[str]:
    """What differs between two lines of a cell, in words; ``brief``: of what was loaded alone."""
    told = []
    planned = shown(before["plan"], brief=brief), shown(now["plan"], brief=brief)
    if plans and planned[0] != planned[1]:
        told.append(f"plan {planned[0]} → {planned[1]}")
    for place in ("handed",) if brief else ("handed", "further"):
        old, new = before.get(place, []), now.get(place, [])
        parts = {part for a, b in zip(old, new) for part in parts_changed(a, b)}
        if len(old) != len(new):
            parts.add(f"{len(old)} → {len(new)} loads")
        if parts:
            told.append(f"{place}: {', '.join(sorted(parts))}")
    return told


def shown(plan: Line, *, brief: bool) -> str:
    """A plan on a line; ``brief``: its first step, as a recalled one has no other."""
    if "error" in plan:
        rule = f" [{plan['rule']}]" if plan.get("rule") else ""
        return " ".join([plan["error"] + rule, *plan.get("failed", ())])
    steps = []
    for step in plan["steps"][: 1 if brief else None]:
        rest = {k: v for k, v in step.items() if k not in ("strategy", "rules")}
        marks = [str(value) for _, value in sorted(rest.items())]
        steps.append(f"{step['strategy']} [{' '.join(step.get('rules', ()))}] ({' '.join(marks)})")
    failed = [f"failed {one}" for one in plan["failed"]]
    repaired = [f"repaired {' '.join(plan['repairs'])}"] if plan["repairs"] else []
    return ", ".join([*steps, *failed, f"by {plan['took']}", *repaired])


def parts_changed(before: Line, now: Line) -> set[str]:
    """What two events of one load differ in."""
    changed = {name for name in ("call", "options") if before.get(name) != now.get(name)}
    if any(before[name] != now[name] for name in ("dynamic", "pir", "device")):
        changed.add("modes")
    old, new = before["files"], now["files"]
    for name in {n for n in (*old, *new) if old.get(n) != new.get(n)}:
        kind = name.rpartition(".")[2]
        changed.add({"info": "infos", "pdiparams": "weights"}.get(kind, "programs"))
    return changed


def options_changed(before: Recording, now: Recording, cell: str) -> Iterator[str]:
    """What stands behind options that differ: of a Config, and of the plan's steps."""

    def told(recording: Recording) -> list[str]:
        line = recording.cells[cell]
        holders = [*line["plan"].get("steps", ()), *line.get("handed", ())]
        meant = [recording.meanings.get(one.get("options", ""), {}) for one in holders]
        return [f"{name} {value}" for each in meant for name, value in _items(each)]

    old, new = told(before), told(now)
    yield from (f"- {one}" for one in dict.fromkeys(old) if one not in new)
    yield from (f"+ {one}" for one in dict.fromkeys(new) if one not in old)


def _items(options: Line) -> Iterator[tuple[str, Any]]:
    for name, value in options.items():
        for one in value if isinstance(value, list) else [value]:
            yield name, one


if __name__ == "__main__":
    sys.exit(main())
