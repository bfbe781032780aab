"""The CPUs that committed results were made on: what a cell shows may depend on its machine's."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import translate
from pathlib import Path
from typing import Any

from compatload.runtime.model import Cpu
from compatload.runtime.named_cpus import named_cpu
from matrix.cells import Cell
from matrix.results import about

# Results that do not tell what their machine's CPU has are of machines with AVX-512.
_UNTOLD = "x86-64-v4"


@dataclass(frozen=True)
class Machines:
    """The CPU that each cell of committed results was run on.

    ``later`` are the runs of some cells that joined the first one, by patterns of their names.
    """

    first: Cpu
    later: tuple[tuple[re.Pattern[str], Cpu], ...] = ()

    def of(self, cell: Cell) -> Cpu:
        joined = (cpu for pattern, cpu in reversed(self.later) if pattern.match(cell.id))
        return next(joined, self.first)


def machines_of(folder: Path) -> Machines:
    """The CPUs that committed results were made on."""
    told = about(folder)
    later = (
        (re.compile("|".join(map(translate, run["only"]))), _cpu(run["machine"]))
        for run in told.get("joined", ())
        if run["only"]
    )
    return Machines(_cpu(told["machine"]), tuple(later))


def _cpu(machine: Mapping[str, Any]) -> Cpu:
    features = machine.get("features")
    told = Cpu(machine["architecture"], features=frozenset(features or ()))
    return told if features else named_cpu(_UNTOLD)
