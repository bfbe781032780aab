"""Every producer before every reader, in predictors.

    python -m matrix.sweep                                     the pairs and grids below
    python -m matrix.sweep --grid rows --pair 2.6.2 3.3.1      one of them

What came of each joins ``matrix/results/sweep.json``. Exit status: 0 compatload is right
everywhere, and ``check`` calls nothing fine that fails; else 1. A grid takes some minutes a pair.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from compatload.artifact.inspection import inspect_whole
from compatload.checking.prediction import Outcome, predict
from compatload.checking.target import parse_target
from compatload.plan import Api
from matrix.environments import ensure
from matrix.results import RESULTS
from matrix.sweep.grids import GRIDS
from matrix.versions import entries

PAIRS = (("2.6.2", "2.6.2"), ("2.6.2", "3.3.1"), ("3.0.0", "3.0.0"), ("3.3.1", "3.3.1"))
_WORKER = Path(__file__).with_name("worker.py")
_KEPT = RESULTS / "sweep.json"
_KEY = ("grid", "saver", "loader")


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="matrix.sweep", description=__doc__)
    parser.add_argument("--grid", choices=[*GRIDS], action="append")
    parser.add_argument("--pair", nargs=2, metavar=("SAVER", "LOADER"), action="append")
    asked = parser.parse_args(arguments)
    told = []
    for saver, loader in asked.pair or PAIRS:
        for grid in asked.grid or GRIDS:
            told.append(swept(grid, saver, loader))
            print(summary(told[-1]), flush=True)
            keep(told[-1])
    return int(any(one["missed"] or one["compatload"] for one in told))


def keep(told: dict[str, object]) -> None:
    """In place of what an earlier run told of the same grid and pair."""
    known = json.loads(_KEPT.read_text()) if _KEPT.exists() else []
    place = [told[key] for key in _KEY]
    others = [one for one in known if [one[key] for key in _KEY] != place]
    ordered = sorted([*others, told], key=lambda one: [str(one[key]) for key in _KEY])
    _KEPT.write_text(json.dumps(ordered, indent=1) + "\n")


def swept(grid: str, saver: str, loader: str) -> dict[str, object]:
    """What was seen of one grid: counts, and the names of the layers of which something is said."""
    with tempfile.TemporaryDirectory(prefix="sweep-") as name:
        folder = Path(name)
        run(saver, "save", grid, name)
        seen, ours = (
            {o["name"]: o["outcome"] for o in run(loader, "load", name, who)}
            for who in ("paddle", "compatload")
        )
        foretold = {one: predicted(folder / one / "model", loader) for one in seen}
    missed = [one for one in seen if seen[one] != "ok" and foretold[one] == "ok"]
    alarms = [one for one in seen if seen[one] == "ok" and foretold[one] != "ok"]
    return {
        "grid": grid,
        "saver": saver,
        "loader": loader,
        "paddle": dict(sorted(Counter(seen.values()).items())),
        "missed": missed,
        "alarms": alarms,
        "compatload": {one: end for one, end in ours.items() if end != "ok"},
    }


def run(release: str, *arguments: str) -> list[dict[str, str]]:
    """The lines that the worker printed in that release."""
    entry = next(one for one in entries() if one.environment == release)
    environment = {**os.environ, "COMPATLOAD_CACHE": "off", "GLOG_minloglevel": "3"}
    done = subprocess.run(
        [ensure(entry).python, "-W", "ignore", str(_WORKER), *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment,
        text=True,
        check=True,
    )
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith('{"name"')]


def predicted(prefix: Path, release: str) -> str:
    target = parse_target(f"paddle=={release}")
    found = predict(inspect_whole(prefix), target.runtime, Api.PREDICTOR, "cpu")
    return "ok" if found.outcome is Outcome.OK else found.outcome.value


def summary(told: dict[str, object]) -> str:
    lines = [f"{told['grid']}, {told['saver']} → {told['loader']}: Paddle {told['paddle']}"]
    for what in ("missed", "alarms", "compatload"):
        found = told[what]
        lines.append(f"  {what}: {len(found)} {', '.join([*found][:8])}")  # type: ignore[arg-type, misc]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
