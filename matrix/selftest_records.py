"""Records of ``compatload selftest --output`` (``results/selftest/*.json``), in a table."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from matrix.cells import CALLERS
from matrix.markdown import table

HEAD = ("Paddle", "device", "CPU", *CALLERS, "faults here", "not here")
# What such a CPU is run by.
EMULATED = "QEMU TCG"


def records(folder: Path) -> list[Mapping[str, Any]]:
    """Every record of a folder, by the name of its file."""
    return [json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.json"))]


def selftest_table(found: list[Mapping[str, Any]]) -> str:
    """A row for each machine and build: what is right there, and which faults it has."""
    if not found:
        return "None was run: `compatload selftest --output matrix/results/selftest/NAME.json`."
    return table(HEAD, map(_row, found))


def _row(record: Mapping[str, Any]) -> list[str]:
    paddle, cpu = record["runtime"]["paddle"], record["runtime"]["cpu"]
    facts = {
        present: ", ".join(fact["rule"] for fact in record["facts"] if fact["present"] is present)
        for present in (True, False)
    }
    build = f"{paddle['distribution']} {paddle['version']}"
    if not record["complete"]:
        build += " (not finished)"
    right = [_counted(record, caller) for caller in CALLERS]
    emulated = " (emulated)" if cpu.get("hypervisor") == EMULATED else ""
    here = [build, record["device"], str(cpu.get("name") or cpu["architecture"]) + emulated]
    return [*here, *right, facts[True] or "none", facts[False] or "none"]


def _counted(record: Mapping[str, Any], caller: str) -> str:
    outcomes = Counter(cell[4] for cell in record["cells"] if cell[3] == caller)
    others = "".join(f", {n} {outcome}" for outcome, n in outcomes.items() if outcome != "ok")
    return f"{outcomes['ok']} of {sum(outcomes.values())} ok{others}"
