"""Where the figures are kept, with the machine that they were measured on."""

from __future__ import annotations

import datetime
import json
import os
import platform
from pathlib import Path

FILE = Path(__file__).parents[1] / "results" / "fleet.json"


def read() -> dict[str, dict[str, object]]:
    told: dict[str, dict[str, object]] = json.loads(FILE.read_text()) if FILE.exists() else {}
    return told


def keep(name: str, figures: dict[str, object]) -> None:
    """Told on standard output, and written beside the others."""
    machine = {
        "date": f"{datetime.datetime.now(datetime.timezone.utc):%Y-%m-%d}",
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "load": [round(one, 1) for one in os.getloadavg()],
    }
    told = {**read(), name: {**figures, "machine": machine}}
    FILE.write_text(json.dumps(dict(sorted(told.items())), indent=1) + "\n")
    print(json.dumps({name: told[name]}, indent=1))
