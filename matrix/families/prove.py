"""Shows conversion on families of real models: saved, converted, loaded elsewhere, compared.

    python -m matrix.families.prove ENVIRONMENTS WORK [--route 3.3.1:2.6.2:converted …]

``ENVIRONMENTS/<release>/bin/python`` are interpreters with that Paddle; the packages that the
networks come from are fetched by ``matrix.packages``. A route is who saves, who loads and how:
``converted`` writes converted files and loads them with Paddle's own loaders, ``dropins`` loads
the files as they were saved through compatload. What was done under ``WORK`` is not done again,
but that networks named by ``--only`` are loaded anew. Answers are kept in
``matrix/results/families``, and ``RESULTS.md`` is written from those.

Some of PaddleDetection's code needs NumPy 1: ``--saver-path`` names a folder that has it.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from matrix.families.report import RESULTS, write
from matrix.packages import install

ROOT = Path(__file__).resolve().parents[2]
ROUTES = (
    "3.3.1:3.3.1:dropins",
    "3.3.1:2.6.2:converted",
    "3.3.1:2.6.2:dropins",
    "3.3.1:3.0.0:converted",
    "2.6.2:3.3.1:dropins",
    "3.0.0:2.6.2:converted",
)
SECONDS = 4 * 3600


@dataclass(frozen=True)
class Route:
    saver: str
    loader: str
    how: str

    @classmethod
    def parse(cls, text: str) -> Route:
        saver, loader, how = text.split(":")
        if how not in ("converted", "dropins"):
            raise argparse.ArgumentTypeError(f"converted or dropins, not {how}")
        return cls(saver, loader, how)

    @property
    def name(self) -> str:
        return f"{self.saver}-{self.loader}-{self.how}"


def run(python: Path, module: str, *arguments: object, path: str = "") -> None:
    """One step with an interpreter; a step that fails has told why in its answers."""
    paths = os.pathsep.join(filter(None, [path, str(ROOT)]))
    environment = {**os.environ, "PYTHONPATH": paths, "OMP_NUM_THREADS": "1"}
    command = [str(python), "-W", "ignore", "-m", f"matrix.families.{module}"]
    subprocess.run(
        [*command, *map(str, arguments)], env=environment, cwd=ROOT, timeout=SECONDS, check=False
    )


def prove(
    environments: Path, work: Path, route: Route, saver_path: str, names: Sequence[str]
) -> None:
    """Does what a route has not done yet, and keeps its answers."""

    def python(release: str) -> Path:
        return environments / release / "bin" / "python"

    folder = work / "saved" / route.saver
    run(python(route.saver), "save", folder, *names, path=saver_path)
    caller = "compatload"
    answers = work / "results" / f"{route.name}.json"
    answers.parent.mkdir(parents=True, exist_ok=True)
    if route.how == "converted":
        older = route.loader.startswith("2.")
        to = "legacy" if older else route.loader
        converted = work / "converted" / f"{route.saver}-{to}"
        run(Path(sys.executable), "convert", folder, converted, to, *names)
        refused = converted / "refused.json"
        shutil.copy(refused, answers.with_suffix(".refused"))
        folder, caller = converted, "paddle"
    there = [name for name in names if (folder / name / "case.json").exists()]
    if names and not there:
        return
    run(python(route.loader), "load", folder, answers, caller, *there)
    keep(answers)


def keep(answers: Path) -> None:
    """Adds the answers of a run to those in the repository."""
    refused = answers.with_suffix(".refused")
    told = json.loads(refused.read_text()) if refused.exists() else {}
    kept = RESULTS / answers.name
    known = json.loads(kept.read_text()) if kept.exists() else {"answers": {}, "refused": {}}
    known["answers"].update(json.loads(answers.read_text()))
    known["refused"] = {
        name: why
        for name, why in {**known["refused"], **told}.items()
        if name not in known["answers"]
    }
    RESULTS.mkdir(parents=True, exist_ok=True)
    text = json.dumps(known, sort_keys=True, separators=(",", ":")).replace('},"', '},\n"')
    kept.write_text(text + "\n")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("environments", type=Path)
    parser.add_argument("work", type=Path)
    parser.add_argument("--route", type=Route.parse, action="append")
    parser.add_argument("--saver-path", default="")
    parser.add_argument("--only", nargs="+", default=(), metavar="NAME", help="these networks")
    options = parser.parse_args()
    install()
    for route in options.route or map(Route.parse, ROUTES):
        prove(options.environments, options.work, route, options.saver_path, options.only)
    write()
    return 0


if __name__ == "__main__":
    sys.exit(main())
