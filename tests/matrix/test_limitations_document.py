"""docs/limitations.md is made from the results, and no cell is missing in either."""

from __future__ import annotations

import importlib.util
import json
from collections import Counter
from pathlib import Path
from types import ModuleType

from compatload.releases import MEASURED

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "matrix" / "limitations"


def module(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"limitations_{name}", FOLDER / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


def test_the_document_is_up_to_date() -> None:
    report = module("report")
    assert report.DOCUMENT.read_text("utf-8") == report.document()


def test_every_program_was_run_in_every_way_on_every_release() -> None:
    run = module("run")
    wanted = [run.key(cell) for cell in run.cells()]
    releases = json.loads(run.RESULTS.read_text("utf-8"))["releases"]
    assert tuple(releases) == MEASURED
    for measured in releases.values():
        assert [run.key(cell) for cell in measured["cells"]] == wanted


def test_the_guides_rows_and_those_found_here_are_all_there() -> None:
    rows = Counter(row for row, _ in module("run").forms())
    assert [int(row[3:5]) for row in sorted(rows)] == list(range(1, 42))
    assert all(count >= 2 for count in rows.values())


def test_no_program_is_broken_and_only_rows_about_it_hang() -> None:
    releases = json.loads(module("run").RESULTS.read_text("utf-8"))["releases"]
    cells = [cell for measured in releases.values() for cell in measured["cells"]]
    paddles = [cell for cell in cells if cell["stage"] != "safe_save"]
    assert {cell["outcome"] for cell in paddles} == {"ok", "wrong", "error", "crash", "timeout"}
    hanging = {cell["row"] for cell in cells if cell["outcome"] == "timeout"}
    assert hanging == {"row32_recursion", "row33_comprehension"}


def test_what_safe_save_saves_is_right() -> None:
    releases = json.loads(module("run").RESULTS.read_text("utf-8"))["releases"]
    for release, measured in releases.items():
        saved = [cell for cell in measured["cells"] if cell["stage"] == "safe_save"]
        assert {cell["outcome"] for cell in saved} == {"ok", "refused"}, release
        # 48 of 91 without the forms of compatload.exporting.code_forms.
        assert sum(cell["outcome"] == "ok" for cell in saved) > 70, release
