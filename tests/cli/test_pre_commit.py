"""The hooks for pre-commit: their manifest, and what pre-commit itself says of it."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

MANIFEST = Path(__file__).parents[2] / ".pre-commit-hooks.yaml"


def test_what_the_hooks_look_at() -> None:
    (pattern,) = re.findall(r"files: (.*)", MANIFEST.read_text(encoding="utf-8"))
    for name in ("a/load.py", "m.pdmodel", "m/inference.json", "v1/__model__", "v1/model"):
        assert re.search(pattern, name), name
    for name in ("README.md", "remodel", "m.pdiparams", "a.python"):
        assert not re.search(pattern, name), name


def test_the_entries_are_commands_of_ours(capsys: pytest.CaptureFixture[str]) -> None:
    from compatload.cli import main

    entries = re.findall(r"entry: compatload (.*)", MANIFEST.read_text(encoding="utf-8"))
    assert len(entries) == 2
    for entry in entries:
        assert main([*entry.split(), str(MANIFEST)]) == 0
        assert "checked 0" in capsys.readouterr().out


@pytest.mark.skipif(find_spec("pre_commit") is None, reason="pre-commit is not installed")
def test_pre_commit_takes_the_manifest() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pre_commit", "validate-manifest", str(MANIFEST)], check=False
    )
    assert done.returncode == 0
