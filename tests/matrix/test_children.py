"""Processes of the campaigns: what is printed is kept, and how they ended is told."""

from __future__ import annotations

import sys

import pytest

from matrix import children

_SLOW = "import time\nfor n in range(4):\n    print(n, flush=True)\n    time.sleep(0.6)"
_SILENT = "import time\nprint('begun', flush=True)\ntime.sleep(60)"


@pytest.mark.parametrize(
    ("program", "told"),
    [
        ("print('done')", ("", "done\n")),
        ("raise SystemExit(3)", ("the process ended with 3", "")),
        ("import os; os.abort()", ("the process ended with -6", "")),
        (_SLOW, ("", "0\n1\n2\n3\n")),
        (_SILENT, ("nothing done in 1 s", "begun\n")),
    ],
)
def test_only_what_falls_silent_is_stopped(
    program: str, told: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(children, "SECONDS", 1)
    assert children.ran([sys.executable, "-c", program]) == told
