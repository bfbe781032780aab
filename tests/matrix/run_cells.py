"""A run of the matrix that a test can kill: ``run_cells.py HOME RELEASE``.

Loads fixtures of 2.6.2 in that release through all APIs; the journal is ``HOME/journal.jsonl``.
"""

from __future__ import annotations

import sys
from pathlib import Path

from matrix.artifacts import fixtures
from matrix.cells import APIS, Cell
from matrix.environments import ensure
from matrix.execution import Job, Options, execute
from matrix.journal import Journal
from matrix.versions import entries

SAVER = "2.6.2"
FIXTURES = 12


def main(home: Path, release: str) -> None:
    environments = {e.id: ensure(e) for e in entries() if e.id == release}
    artifacts = fixtures([SAVER])[:FIXTURES]
    cells = [
        Cell(SAVER, one.model, release, api, "compatload") for one in artifacts for api in APIS
    ]
    with Journal(home / "journal.jsonl") as journal:
        found = execute(Job(environments, {}, artifacts, journal, Options(1, 60.0)), cells)
    print(len(found), sum(result.outcome == "ok" for result in found.values()))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
