from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from pathlib import Path

import pytest
from packaging.version import Version

from matrix import report as module
from matrix.artifacts import Artifact
from matrix.cells import Cell, Result
from matrix.environments import Environment
from matrix.execution import OUT_OF_TIME
from matrix.report import (
    BEGIN,
    DATA_MARK,
    END,
    counted,
    further,
    heatmap,
    latest,
    pair_table,
    releases,
    report,
    share,
    with_block,
    written,
)
from matrix.results import RESULTS, Finished, about, read, write
from matrix.versions import Entry

OLD, NEW = "2.6.2", "3.10.0"


def cell(saver: str, loader: str, caller: str, model: str = "lstm", api: str = "jit") -> Cell:
    return Cell(saver, model, loader, api, caller)


CELLS = {
    cell(OLD, OLD, "paddle"): Result("ok", 0.0, 0.1),
    cell(OLD, OLD, "compatload"): Result("ok", 0.0, 0.1, ("native",)),
    cell(OLD, NEW, "paddle"): Result("error", error="ValueError: </script> a | b"),
    cell(OLD, NEW, "compatload"): Result("ok", 3e-7, 0.2, ("legacy",), ("CL101",)),
    cell(OLD, NEW, "paddle", "relu"): Result("crash", error="SIGSEGV", confirmed=True),
    cell(OLD, NEW, "compatload", "relu"): Result("wrong", math.inf, 0.2),
    cell(NEW, OLD, "paddle"): Result("not run", error="no interpreter"),
    cell(NEW, OLD, "compatload"): Result("not run", error="no interpreter"),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    environments = {OLD: Environment(OLD, "/somewhere/python", "ab" * 32, ("numpy==1.26.4",))}
    artifacts = [Artifact(OLD, model, "recurrent", tmp_path, "d") for model in ("lstm", "relu")]
    write(tmp_path, Finished("quick", 0.0, CELLS, artifacts, environments, {NEW: "no interpreter"}))
    return tmp_path


def test_results_come_back_as_they_were_written(folder: Path) -> None:
    assert read(folder) == CELLS
    assert about(folder)["cells"] == len(CELLS)


def test_results_are_plain_json_without_places_of_this_machine(folder: Path) -> None:
    for path in folder.glob("*.json"):
        text = path.read_text()
        assert "Infinity" not in text
        assert "/somewhere" not in text
        json.loads(text, parse_constant=pytest.fail)


def test_a_second_run_replaces_the_first(folder: Path) -> None:
    only = {cell(OLD, OLD, "paddle"): Result("ok", 0.0)}
    write(folder, Finished("quick", 0.0, only, [], {}, {}))
    assert read(folder) == only


def test_pairs_without_one_cell_are_named_and_not_stored(tmp_path: Path) -> None:
    late = Result("not run", error=OUT_OF_TIME)
    begun = {cell(OLD, NEW, "paddle"): late, cell(OLD, NEW, "compatload"): Result("ok", 0.0)}
    absent = {cell(NEW, OLD, caller): late for caller in ("paddle", "compatload")}
    write(tmp_path, Finished("full", 0.0, {**begun, **absent}, [], {}, {}, earlier=1))
    told = about(tmp_path)
    assert read(tmp_path) == begun
    assert told["pairs_not_reached"] == [[NEW, OLD]]
    assert (told["cells"], told["cells_not_reached"], told["earlier_code"]) == (2, 2, 1)
    text = report(told, read(tmp_path), {}, {})
    assert f"| **{NEW}** | not run | not run |" in text
    assert f"| 2 | the run had no time for them: {NEW} → {OLD} |" in text
    assert f"| 1 | {OUT_OF_TIME} |" in text
    assert "1 of the cells were run with earlier code" in text


def test_entries_beside_the_releases_stand_in_the_report(folder: Path) -> None:
    gpu = Entry("2.6.2-gpu", Version("2.6.2"), "paddlepaddle-gpu", ("3.11",), tier="extra")
    release = replace(gpu, id="2.6.2", tier="quick")
    text = further({}, [release, gpu])
    assert "### 2.6.2-gpu (paddlepaddle-gpu==2.6.2)\n\nNot run" in text
    assert text.count("###") == 1
    text = further({"2.6.2-gpu": (about(folder), read(folder))}, [release, gpu])
    assert "Not run" not in text
    assert "| **2.6.2** | 100 % → 100 % |" in text


def test_counts_leave_out_what_was_not_run() -> None:
    assert counted(CELLS, "paddle") == "1 of 3 ok, 1 error, 1 crash (1 not run)"


@pytest.mark.parametrize(
    ("counts", "text"),
    [
        ({"ok": 10}, "100 %"),
        ({"ok": 99999, "error": 1}, "99.9 %"),
        ({"ok": 1, "crash": 2, "wrong": 1}, "25 % (2 crash, 1 wrong)"),
        ({"not run": 3}, ""),
    ],
)
def test_a_share_never_hides_a_failure(counts: dict[str, int], text: str) -> None:
    from collections import Counter

    assert share(Counter(counts)) == text


def test_releases_are_ordered_as_versions_and_not_as_strings() -> None:
    assert releases(["3.10.0", "3.2.0", "2.6.2-gpu", "3.2.0"]) == ["3.2.0", "3.10.0", "2.6.2-gpu"]


def test_the_table_sets_both_calls_beside_each_other() -> None:
    row = pair_table(CELLS).splitlines()[2]
    assert row == "| **2.6.2** | 100 % → 100 % | 0 % (1 crash) → 50 % (1 wrong) |"


def test_the_report_names_causes_rules_and_what_was_not_run(folder: Path) -> None:
    shown = {"CL101": {"tried": 1, "shown": [{"cell": "a/b", "without": {"outcome": "crash"}}]}}
    text = report(about(folder), read(folder), shown, {})
    assert "ValueError: </script> a \\| b" in text
    assert re.search(r"\| CL101 .* \| 1 \| 1 \| `a/b` \| crash: `difference None` \|", text)
    assert "`2.6.2/lstm/3.10.0/jit/compatload` | not reproduced by a cell; measured" in report(
        about(folder), read(folder), {}, {}
    )
    assert "| 2 | no interpreter |" in text
    assert "not available: no interpreter" in text


def test_only_the_block_between_the_marks_is_replaced() -> None:
    text = f"before\n{BEGIN}\nold\n{END}\nafter\n"
    assert with_block(text, "new") == f"before\n{BEGIN}\nnew\n{END}\nafter\n"


def test_the_heat_map_holds_its_data_and_asks_for_nothing(folder: Path) -> None:
    text = heatmap(folder, about(folder))
    assert DATA_MARK not in text
    (data,) = re.findall(r"const DATA = /?\*?(.*?);\n", text.replace("/*DATA*/", ""))
    assert json.loads(data)["about"]["cells"] == len(CELLS)
    # A message that ends a script must not end this one.
    assert text.count("</script>") == 1
    assert not re.search(r"""(src|href)=|https?://|@import|url\(""", text)


def test_the_heat_map_is_made_on_demand_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = tmp_path / "heatmap.html"
    monkeypatch.setattr(module, "HEATMAP", page)
    assert page not in written(RESULTS / latest())
    assert module.main(["--heatmap"]) == 0
    assert "</html>" in page.read_text(encoding="utf-8")


@pytest.mark.skipif(not (RESULTS / latest() / "run.json").exists(), reason="no results committed")
def test_generated_files_are_what_the_results_say() -> None:
    for path, text in written(RESULTS / latest()).items():
        assert path.read_text(encoding="utf-8") == text, f"python -m matrix.report rewrites {path}"


@pytest.mark.skipif(not (RESULTS / latest() / "run.json").exists(), reason="no results committed")
def test_no_cell_of_the_committed_results_went_missing() -> None:
    told, cells = about(RESULTS / latest()), read(RESULTS / latest())
    assert len(cells) == told["cells"]
    by_place: dict[tuple[str, str, str], set[tuple[str, str]]] = {}
    for one in cells:
        key = (one.saver, one.model, one.loader)
        by_place.setdefault(key, set()).add((one.api, one.caller))
    assert {len(found) for found in by_place.values()} == {6}
    unreached = {tuple(pair) for pair in told["pairs_not_reached"]}
    loaders = {one.loader for one in cells} | {loader for _, loader in unreached}
    by_model: dict[tuple[str, str], set[str]] = {}
    for saver, model, loader in by_place:
        by_model.setdefault((saver, model), set()).add(loader)
    for saver in {one.saver for one in cells}:
        wanted = {loader for loader in loaders if (saver, loader) not in unreached}
        for model in told["quick"]:
            assert by_model.get((saver, model), wanted) == wanted
