"""The results that are committed: one small JSON file a loader, and one about the run.

``run.json`` says when, where and with what, and names the pairs of saver and loader of which no
cell was reached at all; ``<loader>.json`` holds the other cells of a loader, nested as
``api → caller → saver → model`` with one list a cell: ``[outcome, difference, seconds, steps,
rules, error, confirmed]``, cut after its last value that is not empty. Outcome, steps, rules and
error are numbers of ``strings``, which holds each text once.
"""

from __future__ import annotations

import json
import math
import os
import platform
import subprocess
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from compatload.runtime.cpu import detect_cpu
from matrix.artifacts import Artifact
from matrix.cells import Cell, Result
from matrix.environments import Environment, described
from matrix.execution import OUT_OF_TIME
from matrix.pool import ROOT

RESULTS = ROOT / "matrix/results"
SCHEMA = 1


@dataclass(frozen=True)
class Finished:
    """A run that has an answer for every cell.

    ``earlier``: how many of the answers were found with earlier code. ``only``: the patterns of
    cells that the run was limited to. ``joining``: how many cells were run now, if the others are
    those that are in the folder; None where nothing of it stays.
    """

    tier: str
    started: float
    cells: Mapping[Cell, Result]
    artifacts: Sequence[Artifact]
    environments: Mapping[str, Environment]
    unavailable: Mapping[str, str]
    earlier: int = 0
    only: tuple[str, ...] = ()
    joining: int | None = None


def write(folder: Path, finished: Finished) -> None:
    """Replace what is in the folder by this run, or join it."""
    folder.mkdir(parents=True, exist_ok=True)
    before = None if finished.joining is None else about(folder)
    for old in folder.glob("*.json"):
        old.unlink()
    absent = _unreached(finished.cells)
    reached = {c: r for c, r in finished.cells.items() if (c.saver, c.loader) not in absent}
    for loader in sorted({cell.loader for cell in reached}):
        cells = {c: r for c, r in reached.items() if c.loader == loader}
        _dump(folder / f"{loader}.json", _packed(loader, cells))
    told = _about(finished, len(reached), sorted(absent))
    _dump(folder / "run.json", told if before is None else _joined(before, told, finished))


def _unreached(cells: Mapping[Cell, Result]) -> set[tuple[str, str]]:
    """Pairs of saver and loader of which a run that was out of time has not seen one cell."""
    reached = {(c.saver, c.loader) for c, r in cells.items() if r.error != OUT_OF_TIME}
    return {(cell.saver, cell.loader) for cell in cells} - reached


def read(folder: Path) -> dict[Cell, Result]:
    """Every cell of a run; empty if none was written."""
    found: dict[Cell, Result] = {}
    for path in sorted(folder.glob("*.json")):
        if path.name != "run.json":
            found.update(_unpacked(json.loads(path.read_text(encoding="utf-8"))))
    return found


def read_further(folder: Path, runs: str = "*") -> dict[Cell, Result]:
    """Every cell of the runs of entries beside the releases, or of those of that name."""
    found: dict[Cell, Result] = {}
    for run in sorted(folder.glob(f"{runs}/run.json")):
        found.update(read(run.parent))
    return found


def about(folder: Path) -> dict[str, Any]:
    """What ``run.json`` says."""
    told: dict[str, Any] = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    return told


def _about(finished: Finished, cells: int, absent: Sequence[tuple[str, str]]) -> dict[str, Any]:
    environments: dict[str, Any] = {i: described(e) for i, e in finished.environments.items()}
    environments.update({i: {"unavailable": why} for i, why in finished.unavailable.items()})
    return {
        "schema": SCHEMA,
        "tier": finished.tier,
        "date": time.strftime("%Y-%m-%d", time.gmtime(finished.started)),
        "seconds": round(time.time() - finished.started),
        "commit": _commit(),
        "kind": "hardware",
        "machine": machine(),
        "environments": environments,
        "cells": cells,
        "earlier_code": finished.earlier,
        "only": list(finished.only),
        "pairs_not_reached": [list(pair) for pair in absent],
        "cells_not_reached": len(finished.cells) - cells,
        "families": _families(finished.artifacts),
        "quick": sorted({one.model for one in finished.artifacts if one.tier == "quick"}),
    }


def _joined(before: Mapping[str, Any], now: Mapping[str, Any], finished: Finished) -> Any:
    """What was said of the run that most cells are of, with a line on those that joined."""
    line = {key: now[key] for key in ("date", "commit", "machine", "only")}
    families = {family: [*models] for family, models in before["families"].items()}
    for family, models in now["families"].items():
        families[family] = sorted({*families.get(family, ()), *models})
    return {
        **before,
        **{key: now[key] for key in ("cells", "earlier_code", "cells_not_reached")},
        "families": dict(sorted(families.items())),
        "quick": sorted({*before["quick"], *now["quick"]}),
        "joined": [*before.get("joined", ()), {**line, "cells": finished.joining}],
    }


def _families(artifacts: Iterable[Artifact]) -> dict[str, list[str]]:
    families: dict[str, set[str]] = {}
    for one in artifacts:
        families.setdefault(one.family, set()).add(one.model)
    return {family: sorted(models) for family, models in sorted(families.items())}


def machine() -> dict[str, Any]:
    """The processor and system that the cells were run on."""
    cpu = platform.processor()
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:
            fields = dict(line.split(":", 1) for line in lines if ":" in line)
        told = {key.strip(): value.strip() for key, value in fields.items()}
        cpu = f"{told['vendor_id']} {told['model name']}"
    except (OSError, KeyError):
        pass
    return {
        "cpu": cpu,
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.release()}",
        "architecture": platform.machine(),
        "features": sorted(detect_cpu().features),
    }


def _commit() -> str | None:
    found = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    return found.stdout.strip() or None


def _packed(loader: str, cells: Mapping[Cell, Result]) -> dict[str, Any]:
    strings: dict[str, int] = {}

    def number(text: str) -> int:
        return strings.setdefault(text, len(strings))

    nested: dict[str, Any] = {}
    for cell, one in sorted(cells.items()):
        values: list[Any] = [
            number(one.outcome),
            "inf" if one.difference == math.inf else one.difference,
            one.seconds,
            [number(step) for step in one.steps] or None,
            [number(rule) for rule in one.rules] or None,
            None if one.error is None else number(one.error),
            one.confirmed,
        ]
        while values[-1] is None:
            values.pop()
        place = nested.setdefault(cell.api, {}).setdefault(cell.caller, {})
        place.setdefault(cell.saver, {})[cell.model] = values
    return {"schema": SCHEMA, "loader": loader, "strings": list(strings), "cells": nested}


def _unpacked(raw: Mapping[str, Any]) -> Iterator[tuple[Cell, Result]]:
    strings = raw["strings"]
    for api, callers in raw["cells"].items():
        for caller, savers in callers.items():
            for saver, models in savers.items():
                for model, values in models.items():
                    outcome, difference, seconds, steps, rules, error, confirmed = values + [
                        None
                    ] * (7 - len(values))
                    yield (
                        Cell(saver, model, str(raw["loader"]), api, caller),
                        Result(
                            outcome=strings[outcome],
                            difference=math.inf if difference == "inf" else difference,
                            seconds=seconds,
                            steps=tuple(strings[n] for n in steps or ()),
                            rules=tuple(strings[n] for n in rules or ()),
                            error=None if error is None else strings[error],
                            confirmed=confirmed,
                        ),
                    )


def _dump(path: Path, value: Mapping[str, Any]) -> None:
    """One line for each saver and API, so that differences can be read."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    text = text.replace('},"', '},\n"').replace(']],"', ']],\n"')
    aside = path.with_suffix(".part")
    aside.write_text(text + "\n", encoding="utf-8")
    aside.replace(path)
