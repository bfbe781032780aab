"""Make real Paddle releases say the messages of the symptoms again, each by Paddle's own call.

    python -m handbook.reproduce              all of them
    python -m handbook.reproduce map-at …     only these

Then scripts are run once more with compatload's loaders in place of Paddle's. Environments and
saved networks are those of the matrix, made where they are missing. Ends with 1 if a message was
not said, or if what the page says does not help.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from compatload.runtime.cpu import detect_cpu
from handbook.symptoms import Symptom, symptoms
from matrix.environments import ensure
from matrix.execution import Job, Options, execute
from matrix.journal import Journal
from matrix.limitations.run import measure
from matrix.saved_zoo import save_zoo
from matrix.versions import TIERS, entries

ROOT = Path(__file__).resolve().parents[1]
SECONDS = 120.0
# What becomes of a script once compatload has replaced the loaders: it works, or it is refused.
WORKS, REFUSED = ("layer", "unflagged", "predictor", "buffer"), ("weights", "again")
INSTALLED = "import compatload; compatload.install()\n"
# What scripts may use; they are shown on the pages without it.
PRELUDE = """
FIXTURES, TMP = {fixtures!r}, {folder!r}
LEGACY = FIXTURES + "/2.6.2/classifier/model"
PIR = FIXTURES + "/3.3.1/classifier/model"

def copied(prefix):
    import glob, shutil
    for file in glob.glob(prefix + "*"):
        shutil.copy(file, TMP)
    return TMP + "/model"

def inputs(fixture):
    import numpy
    with numpy.load(FIXTURES + "/" + fixture + "/io.npz") as io:
        return [io[key] for key in io if key.startswith("0/forward/in/")]
"""


@dataclass(frozen=True)
class Ended:
    """The exit status of a script, and all that it printed."""

    status: int
    text: str


def said(wanted: Iterable[Symptom]) -> dict[str, str]:
    """By the id of each symptom, what Paddle says now."""
    chosen = list(wanted)
    return {
        **_of_cells([one for one in chosen if one.cell]),
        **_of_exports([one for one in chosen if one.export]),
        **{one.id: of_script(one).text for one in chosen if one.script},
    }


def unhelped(wanted: Iterable[Symptom]) -> dict[str, str]:
    """By the id of each script that its remedy does not help, what is said instead.

    A cell's is in the matrix's results: every one is ok through compatload.
    """
    found = {}
    for one in wanted:
        if one.script and one.do in (*WORKS, *REFUSED):
            ended = of_script(replace(one, flags={}), INSTALLED)
            refused = ended.status == 1 and "\ncompatload.errors." in ended.text
            if not (refused if one.do in REFUSED else ended.status == 0):
                found[one.id] = ended.text.strip()[-400:]
    return found


def possible(symptom: Symptom) -> bool:
    """Whether this machine can show it."""
    return symptom.without not in detect_cpu().features if symptom.without else True


def python_of(release: str) -> str:
    return ensure(next(entry for entry in entries() if entry.id == release)).python


def _of_cells(wanted: Sequence[Symptom]) -> dict[str, str]:
    if not wanted:
        return {}
    cells = {one.id: one.own_cell for one in wanted}
    ids = {name for cell in cells.values() for name in (cell.saver, cell.loader)}
    table = [entry for entry in entries() if entry.id in ids]
    environments = {entry.id: ensure(entry) for entry in table}
    patterns = [cell.id for cell in cells.values()]
    artifacts = save_zoo(table, environments, {}, 1, TIERS, patterns)
    # A journal of its own: what is known of a cell is not looked up, the cell is run.
    with (
        tempfile.TemporaryDirectory() as folder,
        Journal(Path(folder) / "journal.jsonl") as journal,
    ):
        job = Job(environments, {}, artifacts, journal, Options(1, SECONDS))
        found = execute(job, sorted(set(cells.values())))
    return {name: found[cell].error or found[cell].outcome for name, cell in cells.items()}


def _of_exports(wanted: Sequence[Symptom]) -> dict[str, str]:
    found: dict[str, str] = {}
    for release in sorted({one.release for one in wanted}):
        mine = [one for one in wanted if one.release == release]
        programs = []
        for one in mine:
            row, form, stage = one.export.split("/")
            programs.append(
                {"row": row, "form": form, "full_graph": one.full_graph, "stage": stage}
            )
        answers = [a for a in measure(Path(python_of(release)), programs) if "row" in a]
        found.update({one.id: str(a.get("detail", a)) for one, a in zip(mine, answers)})
    return found


def of_script(symptom: Symptom, before: str = "") -> Ended:
    """What its script comes to, after some other lines."""
    with tempfile.TemporaryDirectory() as folder:
        prelude = PRELUDE.format(fixtures=str(ROOT / "tests/fixtures"), folder=folder)
        done = subprocess.run(
            [python_of(symptom.release), "-W", "ignore", "-c", before + prelude + symptom.script],
            env={
                **os.environ,
                **symptom.flags,
                "PYTHONPATH": str(ROOT),
                "OMP_NUM_THREADS": "1",
                "GLOG_minloglevel": "3",
            },
            capture_output=True,
            text=True,
            errors="replace",
            timeout=SECONDS,
            cwd=folder,
        )
    return Ended(done.returncode, done.stdout + done.stderr)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="handbook.reproduce", description=__doc__)
    parser.add_argument("ids", nargs="*", metavar="ID")
    asked = parser.parse_args(arguments).ids
    if unknown := set(asked) - {one.id for one in symptoms()}:
        parser.error(f"there is no symptom {', '.join(sorted(unknown))}")
    chosen = [one for one in symptoms() if one.id in asked or not asked]
    here = [one for one in chosen if possible(one)]
    texts = said(here)
    missing = [one for one in here if one.message not in texts[one.id]]
    for one in missing:
        print(f"{one.id}: not said; instead: {texts[one.id].strip()[-400:]}", file=sys.stderr)
    alone = unhelped(here)
    for name, text in alone.items():
        print(f"{name}: what the page says does not help: {text}", file=sys.stderr)
    elsewhere = len(chosen) - len(here)
    print(f"{len(here) - len(missing)} of {len(here)} said again ({elsewhere} not on this machine)")
    return 1 if missing or alone else 0


if __name__ == "__main__":
    sys.exit(main())
