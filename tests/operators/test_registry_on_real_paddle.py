"""The packed registries, against what the wheels say now.

Runs with the interpreters in the folder ``COMPATLOAD_ENVIRONMENTS`` (``<release>/bin/python``).
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from compatload.operators.registry import _entries, known_releases
from matrix.pack_operators import pack_legacy, pack_pir

SCRIPT = Path(__file__).resolve().parent.parent.parent / "matrix" / "derive_operators.py"


def _interpreters() -> list[Path]:
    folder = os.environ.get("COMPATLOAD_ENVIRONMENTS")
    if not folder:
        return []
    known = [Path(folder) / item / "bin" / "python" for item in known_releases("legacy")]
    found = [path for path in known if path.exists()]
    assert found, f"COMPATLOAD_ENVIRONMENTS={folder} holds no <release>/bin/python that is known"
    return found


@pytest.mark.skipif(not _interpreters(), reason="COMPATLOAD_ENVIRONMENTS names no interpreters")
@pytest.mark.parametrize("python", _interpreters())
def test_the_wheel_says_what_is_packed(python, tmp_path):
    release = python.parent.parent.name
    output = tmp_path / "derived.json"
    command = [str(python), "-W", "ignore", str(SCRIPT), str(output)]
    subprocess.run(command, check=True, capture_output=True, timeout=300)
    derived = json.loads(output.read_text())
    assert derived["paddle"] == release
    for kind, pack in (("legacy", pack_legacy), ("pir", pack_pir)):
        if kind in derived:
            packed = {name: pack(entry) for name, entry in derived[kind].items()}
            assert packed == _entries(kind, release)
