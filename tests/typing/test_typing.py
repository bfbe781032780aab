"""What type checkers tell users of this package."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import pytest

import compatload
from compatload.options import LoadOptions, PoolOptions
from compatload.serving.options import InferenceOptions

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(__file__).with_name("program.py")


def wrong_lines() -> set[int]:
    lines = PROGRAM.read_text().splitlines()
    return {number for number, line in enumerate(lines, 1) if line.endswith("# error")}


def test_mypy_finds_what_is_misspelt_and_nothing_else(tmp_path: Path) -> None:
    pytest.importorskip("mypy", reason="mypy is an extra for developers")
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path), str(PROGRAM)]
    said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stdout
    found = {int(line) for line in re.findall(r"program\.py:(\d+): error", said)}
    assert found == wrong_lines(), said


def test_pyright_finds_the_same() -> None:
    pyright = shutil.which("pyright")
    if pyright is None:
        pytest.skip("pyright is not installed; it brings a Node of 50 MB")
    command = [pyright, "--pythonpath", sys.executable, str(PROGRAM)]
    said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stdout
    found = {int(line) for line in re.findall(r"program\.py:(\d+):\d+ - error", said)}
    assert found == wrong_lines(), said


def test_options_of_the_pool_are_those_of_inference_options() -> None:
    own = PoolOptions.__annotations__.keys() - LoadOptions.__annotations__.keys()
    assert own == {field.name for field in fields(InferenceOptions)}


def test_checkers_and_programs_see_the_same_names() -> None:
    tree = ast.parse(Path(compatload.__file__).read_text())
    shown = {
        name.asname
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("compatload.")
        for name in node.names
        if name.asname
    }
    assert shown == set(compatload.__all__) - {"__version__"}
    assert all(getattr(compatload, name) is not None for name in compatload.__all__)
